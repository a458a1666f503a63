import { createHash } from 'node:crypto';
import type { ResourceInfo, SubresourceInfo } from '../../contracts/resource-info.ts';
import type { ApiGroup, ApiVersion } from './api-groups.ts';

/** What `/api` answers. */
export const apiVersions = (core: ApiGroup | undefined, serverAddress: string): object => ({
  kind: 'APIVersions',
  versions: (core?.versions ?? []).map(({ version }) => version),
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});

/** What `/apis` answers: all groups but the core one. */
export const apiGroupList = (groups: readonly ApiGroup[]): object => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groups.filter(({ name }) => name !== '').map(groupBody),
});

/** What `/apis/<group>` answers. */
export const apiGroup = (group: ApiGroup): object => ({ kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group) });

function groupBody({ name, versions }: ApiGroup): object {
  const shown = versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name, versions: shown, preferredVersion: shown[0] };
}

/** What `/apis/<group>/<version>` answers. The core group's list carries no apiVersion, as the real server's. */
export const apiResourceList = ({ groupVersion, resources }: ApiVersion): object => ({
  kind: 'APIResourceList',
  ...(groupVersion.includes('/') && { apiVersion: 'v1' }),
  groupVersion,
  resources: resources.flatMap((info) => [
    resourceBody(info),
    ...info.subresources.map((subresource) => subresourceBody(info, subresource)),
  ]),
});

const resourceBody = (info: ResourceInfo): object => ({
  name: info.plural,
  singularName: info.singular,
  namespaced: info.namespaced,
  kind: info.kind,
  verbs: info.verbs,
  ...(info.shortNames.length > 0 && { shortNames: info.shortNames }),
  ...(info.categories.length > 0 && { categories: info.categories }),
  // Reviews are answered, not stored.
  ...(info.verbs.includes('list') && { storageVersionHash: storageVersionHash(info) }),
});

/** A subresource names its kind's group and version only where they differ from the resource's. */
const subresourceBody = (info: ResourceInfo, subresource: SubresourceInfo): object => ({
  name: `${info.plural}/${subresource.name}`,
  singularName: '',
  namespaced: info.namespaced,
  ...(isForeign(info, subresource) && { group: subresource.group, version: subresource.version }),
  kind: subresource.kind,
  verbs: subresource.verbs,
});

/** Whether the body of a subresource belongs to another group or version than its resource. */
export const isForeign = (info: ResourceInfo, { group, version }: SubresourceInfo): boolean =>
  group !== info.group || version !== info.version;

/** Changes when objects come to be stored in another version; storage migrators watch it. */
function storageVersionHash({ storage, storageVersion, kind }: ResourceInfo): string {
  const [group = ''] = storage.split('/', 1);
  const digest = createHash('sha256').update(`${group}/${storageVersion}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}
