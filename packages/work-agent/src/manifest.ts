import type { ManifestResourceMeta } from '@flotilla/api-types';
import { joinKey } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** An object of a kind that is known only at run time. */
export interface Manifest extends KubeObject {
  [field: string]: unknown;
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
