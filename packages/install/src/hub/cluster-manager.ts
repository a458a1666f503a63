import {
  ApiGroup,
  type ClusterManager,
  type FeatureGateName,
  ObjectName,
  type RegistrationDriverHub,
} from '@flotilla/api-types';
import { featureGateModes } from '../feature-gate-modes.ts';

/** How a hub is installed, as its ClusterManager records it. */
export interface ClusterManagerValues {
  /** The auth types by which clusters may register, in the order of preference. */
  readonly registrationDrivers: readonly RegistrationDriverHub[];
  readonly featureGates?: Readonly<Partial<Record<FeatureGateName, boolean>>>;
  /** `host:port` or host by which agents reach the gRPC server. */
  readonly grpcServer?: { readonly host: string; readonly type: 'hostname' | 'loadBalancer' };
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
      serverConfiguration: {
        endpointsExposure: [
          { protocol: 'grpc', grpc: { type: grpcServer.type, [grpcServer.type]: { host: grpcServer.host } } },
        ],
      },
    }),
  },
});
