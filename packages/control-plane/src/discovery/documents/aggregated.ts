import type { ResourceInfo, SubresourceInfo } from '../../contracts/resource-info.ts';
import type { ApiGroup } from './api-groups.ts';
import { isForeign } from './legacy.ts';

/** All groups with all their resources in one document. */
export const apiGroupDiscoveryList = (groups: readonly ApiGroup[]): object => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: groups.map(({ name, versions }) => ({
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(resourceBody),
      freshness: 'Current',
    })),
  })),
});

const resourceBody = (info: ResourceInfo): object => ({
  resource: info.plural,
  responseKind: { ...ownKind(info), kind: info.kind },
  scope: info.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: info.singular,
  verbs: info.verbs,
  ...(info.shortNames.length > 0 && { shortNames: info.shortNames }),
  ...(info.categories.length > 0 && { categories: info.categories }),
  ...(info.subresources.length > 0 && {
    subresources: info.subresources.map((subresource) => ({
      subresource: subresource.name,
      responseKind: { ...subresourceKind(info, subresource), kind: subresource.kind },
      verbs: subresource.verbs,
    })),
  }),
});

/** Built-in resources leave their own group and version empty, custom ones repeat them: clients know both forms. */
const ownKind = ({ source, group, version }: ResourceInfo): { group: string; version: string } =>
  source === 'custom' ? { group, version } : { group: '', version: '' };

const subresourceKind = (info: ResourceInfo, subresource: SubresourceInfo): { group: string; version: string } =>
  isForeign(info, subresource) ? { group: subresource.group, version: subresource.version } : ownKind(info);
