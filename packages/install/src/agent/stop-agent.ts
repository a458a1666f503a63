import { AppLabelValue, Label } from '@flotilla/api-types';
import { deployments, pods } from '@flotilla/kube/kinds';
import { type Removal, waitOf } from '../remove/removal.ts';
import { WaitTimeoutError, waitFor } from '../wait.ts';

const { RegistrationAgent, WorkAgent, SingletonAgent } = AppLabelValue;
const labelSelector = `${Label.App} in (${RegistrationAgent},${WorkAgent},${SingletonAgent})`;

/** How long the pods of an agent may take to end. A dead node never reports it. */
const graceMs = 10_000;

/** Stops an agent that runs in the cluster. One that runs elsewhere, as by `join --run`, follows the Klusterlet. */
export async function stopAgent(removal: Removal, namespace: string): Promise<void> {
  const { client, timeoutMs, reporter } = removal;
  const handle = client.resource(deployments);
  const { items } = await handle.list({ namespace, labelSelector });
  if (items.length === 0) return;
  for (const { metadata } of items) {
    await handle.patch(`${namespace}/${metadata?.name}`, { type: 'merge', body: { spec: { replicas: 0 } } });
    reporter.note(`Deployment ${namespace}/${metadata?.name} was scaled to 0.`);
  }
  const wait = { ...waitOf(removal), goal: 'the agent to stop', hint: '', timeoutMs: Math.min(graceMs, timeoutMs) };
  await waitFor(wait, async () => {
    const { items: left } = await client.metadata(pods).list({ namespace, labelSelector });
    const [pod] = left;
    return pod ? { pending: `Pod ${namespace}/${pod.metadata?.name} still runs` } : { found: true };
  }).catch((error: unknown) => {
    if (!(error instanceof WaitTimeoutError)) throw error;
    reporter.note('The pods of the agent did not end; one that still runs may apply its works again.');
  });
}
