import { DataKey, RegistrationDriverName, SecretName } from '@flotilla/api-types';
import type { Deployment, Secret } from '@flotilla/kube/kinds';
import { awsAgent } from './aws-roles.ts';
import type { KlusterletConfig } from './klusterlet-config.ts';

/** What a switch of agents that run to another driver depends on. */
interface SwitchFacts {
  readonly bootstrap: Secret | undefined;
  readonly stored: Secret | undefined;
  /** The Deployments of the agents that register, as they run now. */
  readonly agents: readonly Deployment[];
}

/**
 * Agents that reach the API server keep their driver while nothing says where the gRPC server is: new ones could not start, and the
 * cluster would be silent.
 */
export function withoutBlindSwitch(
  config: KlusterletConfig,
  { bootstrap, stored, agents }: SwitchFacts,
): KlusterletConfig {
  if (config.authType !== RegistrationDriverName.Grpc || agents.length === 0) return config;
  if (bootstrap?.data?.[DataKey.DriverConfig] || stored?.data?.[DataKey.DriverConfig]) return config;
  const args = agents.flatMap(argsOf);
  if (flagValue(args, 'registration-auth') === RegistrationDriverName.Grpc) return config;
  const key = `${config.agentNamespace}/${SecretName.BootstrapHubKubeconfig}`;
  const problem = `spec.registrationConfiguration.registrationDriver.authType is "grpc", and Secret ${key} has no ${DataKey.DriverConfig} with url, caData and token of the gRPC server: the agents that run stay as they are. Join again with --registration-auth grpc and the flags that \`flotilla get token\` prints on the hub, or add ${DataKey.DriverConfig} to the Secret`;
  return { ...config, ...runningDriver(args), driverProblem: problem };
}

/** The driver of agents that run. The spec may have lost what it says about it. */
function runningDriver(args: readonly string[]): Pick<KlusterletConfig, 'authType' | 'aws'> {
  const isAws = flagValue(args, 'registration-auth') === RegistrationDriverName.AwsIrsa;
  const aws = isAws ? awsAgent(flagValue(args, 'hub-cluster-arn'), flagValue(args, 'managed-cluster-arn')) : undefined;
  return aws ? { authType: RegistrationDriverName.AwsIrsa, aws } : { authType: RegistrationDriverName.Csr };
}

const argsOf = ({ spec }: Deployment): readonly string[] =>
  (spec?.template.spec?.containers ?? []).flatMap(({ args = [] }) => args);

/** The value of a flag; empty without it. Certificates are the default, which has no flag. */
const flagValue = (args: readonly string[], flag: string): string =>
  args.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3) ?? '';
