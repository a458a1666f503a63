import type { KubeObject } from '@flotilla/schema';
import type { FieldCause } from '../errors/api-errors.ts';
import type { ResourceInfo } from './resource-info.ts';

/** What schemas do to objects. Objects are never changed: each step answers with another one. */
export interface ObjectSchemas {
  /** Drops unknown fields and returns their paths. Throws 400 for a value of the wrong type in a built-in kind. */
  prune(info: ResourceInfo, object: KubeObject): { object: KubeObject; unknown: readonly string[] };
  applyDefaults(info: ResourceInfo, object: KubeObject): KubeObject;
  /**
   * `old` is the object that an update replaces: transition rules and ratcheting need it. Rules that users write are evaluated without
   * blocking the event loop, in turns among users. Rejects with `RuleTaskError` when a rule has no answer.
   */
  validate(
    info: ResourceInfo,
    object: KubeObject,
    old?: KubeObject,
    user?: string,
  ): readonly FieldCause[] | Promise<readonly FieldCause[]>;
}
