import { DataKey, KeyPrefix, type Klusterlet, Label, SecretName } from '@flotilla/api-types';
import { type Deployment, deployments } from '@flotilla/kube/kinds';
import { withoutBlindSwitch } from './config/driver-switch.policy.ts';
import { type KlusterletConfig, klusterletConfig } from './config/klusterlet-config.ts';
import { agentNamespace, isSingleton, modeOf } from './config/mode.ts';
import { countNodes, replicasFor } from './config/replicas.policy.ts';
import type { KlusterletDeps } from './deps.ts';
import { type AgentKind, agentDeploymentName } from './render/agents.ts';

/** What agents of a Klusterlet are rendered from, as the caches have it now. */
export function configOf(deps: KlusterletDeps, klusterlet: Klusterlet): KlusterletConfig {
  const { options, secrets, controlPlaneNodes } = deps;
  const namespace = agentNamespace(klusterlet);
  const hubSecret = secrets.get(namespace, SecretName.HubKubeconfig);
  const stored = Buffer.from(hubSecret?.data?.[DataKey.ClusterName] ?? '', 'base64').toString('utf8');
  const nodes = countNodes(...controlPlaneNodes.map((cache) => cache.list()));
  const config = klusterletConfig(klusterlet, {
    storedClusterName: stored,
    replicas: options.replicas > 0 ? options.replicas : replicasFor(nodes),
    hasHubSecret: hubSecret !== undefined,
    isSwitching: otherModesOf(klusterlet).some((agent) => findAgent(deps, klusterlet, agent) !== undefined),
    images: options.images,
    operatorNamespace: options.namespace,
    managesAddOnNamespace: options.managesAddOnNamespace,
    grantsWorkPayloads: options.grantsWorkPayloads,
  });
  const registering = (['registration', 'singleton'] as const).map((agent) => findAgent(deps, klusterlet, agent));
  return withoutBlindSwitch(config, {
    bootstrap: secrets.get(namespace, SecretName.BootstrapHubKubeconfig),
    stored: hubSecret,
    agents: registering.filter((agent) => agent !== undefined),
  });
}

const otherModesOf = (klusterlet: Klusterlet): readonly AgentKind[] =>
  isSingleton(modeOf(klusterlet) ?? 'Default') ? ['registration', 'work'] : ['singleton'];

const findAgent = ({ local }: KlusterletDeps, klusterlet: Klusterlet, agent: AgentKind): Deployment | undefined => {
  const name = agentDeploymentName(klusterlet.metadata?.name ?? '', agent);
  return local.keeper.get(deployments, `${agentNamespace(klusterlet)}/${name}`);
};

/** The labels of a Klusterlet that its objects get, if the operator is asked to. Those that say who made an object stay as they are. */
export function syncedLabels({ options }: KlusterletDeps, { metadata }: Klusterlet): Record<string, string> {
  if (!options.syncsLabels) return {};
  const isCopied = (key: string) => key !== Label.App && !key.startsWith(KeyPrefix.ReservedLabel);
  return Object.fromEntries(Object.entries(metadata?.labels ?? {}).filter(([key]) => isCopied(key)));
}
