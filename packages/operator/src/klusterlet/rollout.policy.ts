import type { Deployment } from '@flotilla/kube/kinds';
import type { KlusterletConfig } from './config/klusterlet-config.ts';
import { agentDeploymentName, agentKinds } from './render/agents.ts';

/** Whether a Deployment has at least one pod of its newest version that works, or shall have none. */
export function isRolledOut(deployment: Deployment | undefined): boolean {
  if (!deployment) return false;
  const { metadata, spec, status } = deployment;
  if (spec?.replicas === 0) return true;
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
  return isObserved && (status?.updatedReplicas ?? 0) > 0 && (status?.availableReplicas ?? 0) > 0;
}

/** The Deployments of the mode of a klusterlet. One that is not rendered for now, because a name is missing, is kept as it is. */
export const keptDeployments = (config: KlusterletConfig): Deployment[] =>
  agentKinds(config).map((agent) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: agentDeploymentName(config.name, agent), namespace: config.agentNamespace },
  }));
