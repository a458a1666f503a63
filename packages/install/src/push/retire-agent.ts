import { type Klusterlet, NamespaceName } from '@flotilla/api-types';
import { agentNamespaces } from '../agent/agent-manifests.ts';
import { removeCredentials } from '../agent/remove-agent.ts';
import { stopAgent } from '../agent/stop-agent.ts';
import type { Removal } from '../remove/removal.ts';
import { removeObjects } from '../remove/remove-objects.ts';

/** Ends the agent of a cluster whose works another goes on with: its programs and its identity go, the records of works stay. */
export async function retireAgent(removal: Removal, klusterlet: Klusterlet): Promise<void> {
  const namespace = klusterlet.spec?.namespace ?? NamespaceName.Agent;
  await stopAgent(removal, namespace);
  await removeCredentials(removal, namespace);
  // The namespace of add-ons stays: their agents run there.
  await removeObjects(removal, [agentNamespaces().filter(({ metadata }) => metadata?.name === namespace)]);
}
