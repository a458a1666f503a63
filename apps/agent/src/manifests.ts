import { agentFiles, agentProxyFiles } from '@flotilla/install/deploy';

/** Where the manifests are. */
export const directory = new URL('../deploy/', import.meta.url);

/** The files of `deploy`. */
export const files = agentFiles({ image: 'flotilla/agent:latest' });

/** Where the grant is that lets users of the hub reach the cluster, which not every cluster gives. */
export const clusterProxyDirectory = new URL('cluster-proxy/', directory);

/** The files of `deploy/cluster-proxy`. */
export const filesOfClusterProxy = agentProxyFiles();
