import { DataKey, MountPath, RegistrationDriverName } from '@flotilla/api-types';
import { grpcDriver } from '@flotilla/driver-grpc';
import { bindDriver } from '@flotilla/registration-core/agent';
import { parse } from 'yaml';
import { hasCurrentCertificate } from './csr.ts';
import type { RegistrationDriver } from './registration-driver.ts';

const authType = RegistrationDriverName.Grpc;

/** Client certificates by the gRPC server of the hub, for clusters that cannot reach its API server. */
export const grpc: RegistrationDriver = {
  driver: grpcDriver,
  init: {
    entry: async ({ autoApprovedGrpcIdentities: users }, _hub, earlier) => ({
      ...earlier,
      authType,
      ...(users && { grpc: { autoApprovedIdentities: [...users] } }),
    }),
    settings({ grpc: { autoApprovedIdentities: users = [] } = {} }) {
      return { flags: { ...(users.length > 0 && { 'auto-approved-grpc-users': users.join(',') }) } };
    },
    joinFlags: () => [],
  },
  join: {
    entry: async () => ({ authType }),
    settings: () => ({
      flags: {
        'grpc-bootstrap-config': `${MountPath.BootstrapDirectory}/${DataKey.DriverConfig}`,
        'grpc-config': `${MountPath.HubKubeconfigDirectory}/${DataKey.DriverConfig}`,
        'workload-source-driver': authType,
        'workload-source-config': `${MountPath.HubKubeconfigDirectory}/${DataKey.DriverConfig}`,
      },
    }),
    hasCredentials: hasCurrentCertificate,
    serverOf: ({ [DataKey.DriverConfig]: config = '' }) => (parse(config) as { url?: string } | null)?.url,
    bind: ({ clientCertExpirationSeconds = 0 }) =>
      bindDriver(grpcDriver, {
        bootstrapKubeconfig: 'kubeconfig',
        bootstrapKubeconfigs: [],
        clientCertExpirationSeconds,
        grpcBootstrapConfig: DataKey.DriverConfig,
        grpcConfig: '',
        addonEndpointListen: '127.0.0.1:0',
        addonEndpointAddress: '',
      }),
  },
};
