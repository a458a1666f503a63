import {
  type ClusterManager,
  clusterManagers,
  type Klusterlet,
  klusterlets,
  Label,
  NamespaceName,
} from '@flotilla/api-types';
import type { Observation } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import { deployments, type Pod, pods } from '@flotilla/kube/kinds';
import { waitFor } from '../cluster/wait.ts';
import type { CliContext } from '../context.ts';
import type { Progress } from '../output/progress.ts';

/** Why a pod does not run: what its containers wait for, or its phase. */
function podState({ metadata, status }: Pod): string {
  const waiting = status?.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
  const ended = status?.containerStatuses?.find(({ lastState }) => lastState?.terminated)?.lastState?.terminated;
  const reason = waiting?.reason ?? status?.phase ?? 'Unknown';
  const details = [waiting?.message, ended && `it ended with code ${ended.exitCode}`].filter(Boolean);
  return [`Pod ${metadata?.name} is ${reason}`, ...details].join(': ');
}

/** Whether an operator is available, or what its pods wait for. */
export async function operatorReady(client: KubeClient, name: string): Promise<Observation<true>> {
  const key = `${NamespaceName.Operator}/${name}`;
  const deployment = await client.resource(deployments).find(key);
  if (!deployment) return { pending: `there is no Deployment ${key}` };
  const { observedGeneration = 0, availableReplicas = 0, updatedReplicas = 0 } = deployment.status ?? {};
  const isCurrent = observedGeneration >= (deployment.metadata?.generation ?? 0);
  if (isCurrent && availableReplicas > 0 && updatedReplicas > 0) return { found: true };
  const labelSelector = `${Label.App}=${name}`;
  const { items } = await client.resource(pods).list({ namespace: NamespaceName.Operator, labelSelector });
  const [pod] = items.filter(({ status }) => status?.phase !== 'Succeeded');
  return { pending: pod ? podState(pod) : 'it has no pod yet' };
}

/** What a condition must be for its object to be ready. */
type Wanted = Readonly<Record<string, 'True' | 'False'>>;

const ofHub: Wanted = {
  Applied: 'True',
  Progressing: 'False',
  HubRegistrationDegraded: 'False',
  HubPlacementDegraded: 'False',
};

const ofAgent: Wanted = { Applied: 'True', RegistrationDesiredDegraded: 'False', WorkDesiredDegraded: 'False' };

/** Whether the conditions are as wanted, of what the object asks for now; else the first that is not, and why. */
function conditionsReady(object: ClusterManager | Klusterlet | undefined, wanted: Wanted): Observation<true> {
  if (!object) return { pending: 'it does not exist' };
  const { conditions = [], observedGeneration = 0 } = object.status ?? {};
  if (observedGeneration < (object.metadata?.generation ?? 0)) return { pending: 'the operator has not seen it yet' };
  for (const [type, status] of Object.entries(wanted)) {
    const found = conditions.find((condition) => condition.type === type);
    if (!found) return { pending: `it has no condition ${type} yet` };
    if (found.status !== status) {
      return { pending: `${type} is ${found.status}, ${found.reason}: ${found.message}` };
    }
  }
  return { found: true };
}

/** Whether a hub is ready. */
export const hubReady = async (client: KubeClient, name: string): Promise<Observation<true>> =>
  conditionsReady(await client.resource(clusterManagers).find(name), ofHub);

/** Whether an agent is ready. */
export const agentReady = async (client: KubeClient, name: string): Promise<Observation<true>> =>
  conditionsReady(await client.resource(klusterlets).find(name), ofAgent);

/** How long a command waits, and where it says for what. */
interface ReadinessWait {
  readonly timeout: number;
  readonly progress: Progress;
}

/** Waits for the operator of hubs or of agents. */
export async function waitForOperator(
  context: CliContext,
  client: KubeClient,
  name: 'cluster-manager' | 'klusterlet',
  { timeout, progress }: ReadinessWait,
): Promise<void> {
  const hint = `See its pods: kubectl -n ${NamespaceName.Operator} describe pods -l app=${name}.`;
  const wait = { goal: 'the registration operator to become ready', hint, timeoutMs: timeout * 1000, progress };
  await waitFor(context, wait, () => operatorReady(client, name));
  progress.done('Registration operator is now available.');
}

/** Waits for a hub or an agent that an operator installs. */
export async function waitForInstalled(
  context: CliContext,
  observe: () => Promise<Observation<true>>,
  { what, object, timeout, progress }: ReadinessWait & { readonly what: string; readonly object: string },
): Promise<void> {
  const hint = `See what its conditions say: kubectl get ${object} -o yaml. \`${context.program} doctor\` checks all of it.`;
  await waitFor(context, { goal: `${what} to become ready`, hint, timeoutMs: timeout * 1000, progress }, observe);
  progress.done(`${what[0]?.toUpperCase()}${what.slice(1)} is now available.`);
}
