import type { Clock, ClusterAccess, KubeClient } from '@flotilla/kube';
import { createToken, type Secret, type ServiceAccount } from '@flotilla/kube/kinds';
import type { KlusterletConfig } from '../config/klusterlet-config.ts';
import type { NamedSecrets } from '../named-secrets.ts';
import { type AgentKind, accountOf, agentKinds, hostedSecretOf } from '../render/agents.ts';
import { agentSecretData, renewalTime, tokenSeconds } from './agent-kubeconfig.policy.ts';

/** What kubeconfigs of hosted agents are made with. */
export interface AgentKubeconfigsInput {
  /** On the cluster where the agents run. */
  readonly secrets: NamedSecrets;
  readonly managed: KubeClient;
  /** The service account of an agent on its managed cluster. */
  accountAt(key: string): ServiceAccount | undefined;
  /** To the managed cluster, as its administrator gave it. */
  readonly access: ClusterAccess;
  readonly clock: Clock;
}

/**
 * Keeps the kubeconfigs by which hosted agents reach their managed cluster: each has a token of its own service account there, and none
 * has the rights of the operator. Returns in how many milliseconds the first of them is to be renewed.
 */
export async function keepAgentKubeconfigs(config: KlusterletConfig, input: AgentKubeconfigsInput): Promise<number> {
  const times = await Promise.all(agentKinds(config).map((agent) => keepOne(config, agent, input)));
  return Math.max(0, Math.min(...times) - input.clock.now());
}

async function keepOne(config: KlusterletConfig, agent: AgentKind, input: AgentKubeconfigsInput): Promise<number> {
  const { secrets, managed, access, clock } = input;
  const accountKey = `${config.klusterletNamespace}/${accountOf(config.name, agent)}`;
  const account = input.accountAt(accountKey) ?? {};
  const metadata = { name: hostedSecretOf(agent), namespace: config.agentNamespace };
  const found = secrets.get(metadata.namespace, metadata.name);
  const due = renewalTime(found, { access, account });
  if (due > clock.now()) return due;
  const issued = await createToken(managed, accountKey, { expirationSeconds: tokenSeconds });
  const texts = Object.entries(agentSecretData({ access, account }, issued, clock.now()));
  const data = Object.fromEntries(texts.map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
  const secret: Secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data };
  await secrets.write(secret);
  return renewalTime(secret, { access, account });
}
