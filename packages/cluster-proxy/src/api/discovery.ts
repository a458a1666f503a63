import { ClusterProxyApi } from '@flotilla/api-types';

const { group, version, clusters, proxy, tunnels, attach } = ClusterProxyApi;
const groupVersion = `${group}/${version}`;
const versionEntry = { groupVersion, version };

const resourceList = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources: [
    {
      name: `${clusters}/${proxy}`,
      singularName: '',
      namespaced: false,
      kind: 'ManagedClusterProxyOptions',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
    },
    { name: `${tunnels}/${attach}`, singularName: '', namespaced: true, kind: 'TunnelAttachOptions', verbs: ['get'] },
  ],
};

const apiGroup = { name: group, versions: [versionEntry], preferredVersion: versionEntry };

/** There are no objects of this API, so there is no schema to describe. */
const documents: Readonly<Record<string, object>> = {
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [apiGroup] },
  [`/apis/${group}`]: { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup },
  [`/apis/${groupVersion}`]: resourceList,
  '/openapi/v2': { swagger: '2.0', info: { title: 'flotilla cluster-proxy', version }, paths: {} },
  '/openapi/v3': { paths: {} },
};

/** What API servers and clients read about this API; undefined for another path. */
export const discoveryDocument = (path: string): object | undefined => documents[path];
