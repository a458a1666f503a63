import { clusterProxyFiles, grpcFiles, hubFiles, placementDebugFiles, pushFiles } from '@flotilla/install/deploy';
import { drivers } from './drivers.ts';

/** Where the manifests are. */
export const directory = new URL('../deploy/', import.meta.url);

const image = 'flotilla/hub:latest';

/** The files of `deploy`. */
export const files = hubFiles({ image, drivers });

/** Where the manifests of the debug server of placements are, which not every hub has. */
export const debugDirectory = new URL('placement-debug/', directory);

/** Its files. */
export const debugFiles = placementDebugFiles({ image });

/** Where those of gRPC are, which not every hub needs. */
export const grpcDirectory = new URL('grpc/', directory);

/** The files of `deploy/grpc`. */
export const filesOfGrpc = grpcFiles({ image });

/** Where those of the API of clusters are, which not every hub serves. */
export const clusterProxyDirectory = new URL('cluster-proxy/', directory);

/** The files of `deploy/cluster-proxy`. */
export const filesOfClusterProxy = clusterProxyFiles({ image });
/** Where those of the agents of pushed clusters are, which not every hub has. */
export const pushDirectory = new URL('push/', directory);

/** The files of `deploy/push`. */
export const filesOfPush = pushFiles({ image });
