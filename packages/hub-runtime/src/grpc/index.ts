/** The gRPC server of a hub, for clusters that cannot reach its API server. Apart from the root, which does not load gRPC. */
export { type AccountAccessOptions, accountAccess } from './account-access.ts';
export { type RunGrpcServerInput, runGrpcServer } from './run-grpc-server.ts';
export type { ClientCaSource, ServingSource, TlsSources } from './tls-sources.ts';
