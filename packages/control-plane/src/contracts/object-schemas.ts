import type { KubeObject } from '@flotilla/schema';
import type { FieldCause } from '../errors/api-errors.ts';
import type { ResourceInfo } from './resource-info.ts';

/** What schemas do to objects. Objects are never changed: each step answers with another one. */
export interface ObjectSchemas {
  /** Drops unknown fields and returns their paths. Throws 400 for a value of the wrong type in a built-in kind. */
  prune(info: ResourceInfo, object: KubeObject): { object: KubeObject; unknown: readonly string[] };
  applyDefaults(info: ResourceInfo, object: KubeObject): KubeObject;
  /**
   * `old` is what an update replaces: transition rules and ratcheting need it. Rules that users write are evaluated without holding up the
   * event loop.
   */
  validate(
    info: ResourceInfo,
    object: KubeObject,
    old?: KubeObject,
  ): readonly FieldCause[] | Promise<readonly FieldCause[]>;
}
