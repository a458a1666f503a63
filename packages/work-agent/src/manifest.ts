import type { KubeObject, ManifestResourceMeta, ResourceType } from '@flotilla/api-types';
import { joinKey, type ObjectKey } from '@flotilla/kube';

/** An object of a kind that is known only at run time. */
export interface Manifest extends KubeObject {
  [field: string]: unknown;
}

/** Where a manifest goes on the cluster. */
export interface Target {
  readonly type: ResourceType<Manifest>;
  readonly key: ObjectKey;
}

/** The parts of `group/version`; the core group is empty. */
export function splitApiVersion(apiVersion: string | undefined): { readonly group: string; readonly version: string } {
  const [first = '', second] = (apiVersion ?? '').split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** Names an object whatever the version it is read in: a manifest that moves to another version is still about the same one. */
export const identityOf = ({
  group = '',
  resource = '',
  namespace = '',
  name = '',
}: Pick<ManifestResourceMeta, 'group' | 'resource' | 'namespace' | 'name'>): string =>
  `${resource}.${group} ${joinKey(namespace, name)}`;

/** A plain object, as JSON has it. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
