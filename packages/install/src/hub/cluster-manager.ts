import {
  ApiGroup,
  type ClusterManager,
  type FeatureGateName,
  ObjectName,
  type RegistrationDriverHub,
} from '@flotilla/api-types';
import { featureGateModes } from '../feature-gate-modes.ts';

interface GrpcExposure {
  readonly type: 'hostname' | 'loadBalancer';
  readonly host?: string;
}

/** How a hub is installed, as its ClusterManager records it. */
export interface ClusterManagerValues {
  /** The auth types by which clusters may register, in the order of preference. */
  readonly registrationDrivers: readonly RegistrationDriverHub[];
  readonly featureGates?: Readonly<Partial<Record<FeatureGateName, boolean>>>;
  /** How agents reach the gRPC server, by `host:port` or host; a load balancer may give that. */
  readonly grpcServer?: GrpcExposure;
}

/** The record of a hub. */
export const clusterManager = ({
  registrationDrivers,
  featureGates = {},
  grpcServer,
}: ClusterManagerValues): ClusterManager => ({
  apiVersion: `${ApiGroup.Operator}/v1`,
  kind: 'ClusterManager',
  metadata: { name: ObjectName.ClusterManager },
  spec: {
    registrationConfiguration: {
      featureGates: featureGateModes('hub-registration', featureGates),
      registrationDrivers: [...registrationDrivers],
    },
    ...(grpcServer && {
      serverConfiguration: { endpointsExposure: [{ protocol: 'grpc', grpc: exposure(grpcServer) }] },
    }),
  },
});

const exposure = ({ type, host }: GrpcExposure) => ({ type, ...(host && { [type]: { host } }) });
