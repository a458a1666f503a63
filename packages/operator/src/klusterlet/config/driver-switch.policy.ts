import { DataKey, RegistrationDriverName, SecretName } from '@flotilla/api-types';
import type { Deployment, Secret } from '@flotilla/kube/kinds';
import type { KlusterletConfig } from './klusterlet-config.ts';

/** What a switch of agents that run to another driver depends on. */
interface SwitchFacts {
  readonly bootstrap: Secret | undefined;
  readonly stored: Secret | undefined;
  /** The Deployments of the agents that register, as they run now. */
  readonly agents: readonly Deployment[];
}

/**
 * Agents that work by certificates keep doing so while nothing says where the gRPC server is: new ones could not start, and the cluster
 * would be silent.
 */
export function withoutBlindSwitch(
  config: KlusterletConfig,
  { bootstrap, stored, agents }: SwitchFacts,
): KlusterletConfig {
  if (config.authType !== RegistrationDriverName.Grpc || agents.length === 0) return config;
  if (bootstrap?.data?.[DataKey.DriverConfig] || stored?.data?.[DataKey.DriverConfig]) return config;
  if (agents.some(hasDriverFlag)) return config;
  const key = `${config.agentNamespace}/${SecretName.BootstrapHubKubeconfig}`;
  const problem = `spec.registrationConfiguration.registrationDriver.authType is "grpc", and Secret ${key} has no ${DataKey.DriverConfig} with url, caData and token of the gRPC server: the agents that run stay as they are. Join again with --registration-auth grpc and the flags that \`flotilla get token\` prints on the hub, or add ${DataKey.DriverConfig} to the Secret`;
  return { ...config, authType: RegistrationDriverName.Csr, driverProblem: problem };
}

/** Certificates are the default, which has no flag. */
const hasDriverFlag = ({ spec }: Deployment): boolean =>
  (spec?.template.spec?.containers ?? []).some(({ args = [] }) =>
    args.some((arg) => arg.startsWith('--registration-auth=')),
  );
