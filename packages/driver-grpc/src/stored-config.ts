import { join } from 'node:path';
import { DataKey, KubeconfigName } from '@flotilla/api-types';
import { formatGrpcConfig, parseGrpcConfig } from '@flotilla/cloudevents';
import { formatDuration } from '@flotilla/kube/meta';
import { certificateUser } from '@flotilla/registration-core/certificates';
import type { CredentialIssuer, HubEndpoint, StoredCredentials } from '@flotilla/registration-core/contract';
import { formatHubKubeconfig, readEndpoint } from '@flotilla/registration-core/kube-hub';
import type { BootstrapSettings } from './bootstrap.ts';

/**
 * The entries of the Secret that lead to the hub: `config.yaml` for the gRPC server and, as OCM's agents want it, a kubeconfig for its
 * API server. `directory` is where other processes find the entries as files.
 */
export const storedConfig = (
  directory: string,
  settings: () => BootstrapSettings,
): Pick<CredentialIssuer, 'endpointOf' | 'describe'> => ({
  endpointOf(stored) {
    const text = stored[DataKey.DriverConfig];
    if (!text) return undefined;
    const { url, caData } = parseGrpcConfig(text, `the stored ${DataKey.DriverConfig}`);
    return { name: storedName(stored), server: url, ...(caData && { caData }) };
  },
  describe(endpoint) {
    const { config, kubeEndpoint } = settings();
    const { keepAliveConfig, serverHealthinessTimeoutMs: timeoutMs } = config;
    return {
      [DataKey.DriverConfig]: formatGrpcConfig({
        url: endpoint.server,
        ...(endpoint.caData && { caData: endpoint.caData }),
        clientCertFile: join(directory, DataKey.TlsCertificate),
        clientKeyFile: join(directory, DataKey.TlsKey),
        ...(keepAliveConfig && { keepAliveConfig }),
        ...(timeoutMs && { serverHealthinessTimeout: formatDuration(timeoutMs) }),
      }),
      ...(kubeEndpoint && { [DataKey.Kubeconfig]: hubKubeconfig(kubeEndpoint, endpoint.name) }),
    };
  },
});

const hubKubeconfig = (endpoint: HubEndpoint, name: string): string =>
  formatHubKubeconfig({ ...endpoint, name }, certificateUser);

/** What the kubeconfig calls the hub: `config.yaml` has no name for it. */
function storedName({ [DataKey.Kubeconfig]: kubeconfig }: StoredCredentials): string {
  return kubeconfig ? readEndpoint(kubeconfig).name : KubeconfigName.BootstrapCluster;
}
