export { type GrpcServerOptions, startGrpcServer } from './grpc-server.ts';
