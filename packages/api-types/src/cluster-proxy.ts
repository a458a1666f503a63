const group = 'clusterproxy.open-cluster-management.io';
const version = 'v1alpha1';

/** The API of the hub by which managed clusters are reached. Not part of OCM, whose own cluster-proxy has another group. */
export const ClusterProxyApi = {
  group,
  version,
  /** Users call `managedclusters/NAME/proxy/…`, and may if they have a right on this subresource. */
  clusters: 'managedclusters',
  proxy: 'proxy',
  /** Agents open `tunnels/NAME/attach` in the namespace of their cluster. The API server lets an "attach" last. */
  tunnels: 'tunnels',
  attach: 'attach',
  /** What is asked for when a tunnel is opened. HTTP/2 follows, in which the hub is the client. */
  protocol: 'flotilla-tunnel',
  apiService: `${version}.${group}`,
  service: 'cluster-proxy',
  servingSecret: 'cluster-proxy-serving-cert',
  /** In the namespace of a cluster: which replica of the hub has its tunnel. */
  lease: 'cluster-proxy',
  /** Prefix of users and groups on managed clusters whose names would mean something else there, such as service accounts. */
  hubPrefix: 'cluster:hub:',
} as const;

/** Where the API of a cluster is on the hub; `kubectl --server` takes the address of the hub followed by this. */
export const clusterProxyPath = (cluster: string): string =>
  `/apis/${group}/${version}/${ClusterProxyApi.clusters}/${cluster}/${ClusterProxyApi.proxy}`;

/** Where the agent of a cluster opens its tunnel. */
export const tunnelPath = (cluster: string): string =>
  `/apis/${group}/${version}/namespaces/${cluster}/${ClusterProxyApi.tunnels}/${cluster}/${ClusterProxyApi.attach}`;
