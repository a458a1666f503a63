import type { ClusterManagerSpec } from '@flotilla/api-types';

/** How agents reach the gRPC server. */
export interface GrpcEndpoint {
  /** Where it stands in the spec. */
  readonly field: string;
  readonly type: 'hostname' | 'loadBalancer' | 'route';
  readonly host?: string;
}

/** The endpoints of the protocol grpc that a ClusterManager names. */
export const grpcEndpoints = ({ serverConfiguration }: ClusterManagerSpec): GrpcEndpoint[] =>
  (serverConfiguration?.endpointsExposure ?? []).flatMap(({ protocol, grpc }, at) => {
    if (protocol !== 'grpc' || !grpc) return [];
    const host = grpc[grpc.type]?.host;
    const field = `spec.serverConfiguration.endpointsExposure[${at}].grpc.${grpc.type}`;
    return [{ field, type: grpc.type, ...(host && { host }) }];
  });

/** Whether the server gets an address of the cloud. */
export const isBalanced = (spec: ClusterManagerSpec): boolean =>
  grpcEndpoints(spec).some(({ type }) => type === 'loadBalancer');

/** The names of its certificate besides that of its Service, without their ports. */
export const endpointHosts = (spec: ClusterManagerSpec): string[] =>
  grpcEndpoints(spec).flatMap(({ host }) => (host ? [host.replace(/:\d{1,5}$/, '')] : []));
