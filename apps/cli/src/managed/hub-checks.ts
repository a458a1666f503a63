import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { namespaces, selfSubjectAccessReviews } from '@flotilla/kube/kinds';
import { clusterIdentityAnnotation } from '@flotilla/registration-core/contract';
import type { CliContext, Connection } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Preflight } from './preflight-report.ts';

/** Certificates of the hub begin five minutes early, and no earlier. */
const maxSkewMs = 5 * 60_000;

/** What can be said about the API server of a hub before an agent talks to it. */
export async function checkApiServer(
  { clock }: Pick<CliContext, 'clock'>,
  connect: () => Promise<Connection>,
  clusterName: string,
  check: Preflight,
): Promise<void> {
  await using connection = await connect();
  const { client } = connection;
  await check('clock', async () => checkClock(await serverTime(client), clock.now()));
  await check('rights on the hub', () => checkHubRights(client, clusterName));
}

/** When the server answered, as it says; undefined if it does not say so. Refusals are for the checks that follow. */
async function serverTime({ transport }: KubeClient): Promise<number | undefined> {
  try {
    const { headers } = await transport.request({ method: 'GET', path: '/version' });
    const ms = Date.parse(String(headers.date ?? ''));
    return Number.isNaN(ms) ? undefined : ms;
  } catch (error) {
    if (KubeError.is(error, 'Forbidden', 'Unauthorized', 'Tls', 'NotFound')) return undefined;
    throw error;
  }
}

/** Refuses clocks that differ so much that a new certificate would not be valid yet, or a heartbeat too old. */
export function checkClock(server: number | undefined, now: number): void {
  const skewMs = server === undefined ? 0 : now - server;
  if (Math.abs(skewMs) <= maxSkewMs) return;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  throw new CliError(
    'precondition',
    `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of the hub`,
    'Set both right (NTP): certificates and heartbeats depend on them.',
  );
}

const group = managedClusters.group;

/** Whether the token may do what registering needs. A server that does not say is asked by doing it. */
async function checkHubRights(hub: KubeClient, clusterName: string): Promise<void> {
  const needed = ['create', 'get'].map((verb) => ({ group, resource: 'managedclusters', verb, name: clusterName }));
  const missing: string[] = [];
  for (const resourceAttributes of needed) {
    try {
      const { status } = await hub.resource(selfSubjectAccessReviews).create({ spec: { resourceAttributes } });
      if (!status?.allowed) missing.push(`${resourceAttributes.verb} managedclusters ${clusterName}`);
    } catch (error) {
      if (KubeError.is(error, 'Forbidden', 'Unauthorized', 'Tls', 'NotFound')) return;
      throw error;
    }
  }
  // A server without the kind answers the same: whether it is a hub is asked next.
  if (missing.length === 0 || missing.length === needed.length) return;
  throw new CliError(
    'precondition',
    `the token cannot ${missing.join(', ')} on the hub`,
    'A join token can be for one cluster only: check --cluster-name, or get another with `flotilla token create`.',
  );
}

/** That the hub has this cluster under another name; undefined if it has not, or if the token may not see others. */
export async function findSameIdentity(
  hub: KubeClient,
  clusterName: string,
  managed: KubeClient,
): Promise<string | undefined> {
  const uid = (await managed.resource(namespaces).find(NamespaceName.KubeSystem))?.metadata?.uid;
  if (uid === undefined) return undefined;
  try {
    const { items } = await hub.resource(managedClusters).list();
    const other = items.find(
      ({ metadata }) => metadata?.name !== clusterName && metadata?.annotations?.[clusterIdentityAnnotation] === uid,
    );
    if (!other) return undefined;
    return `the hub has this cluster as ${other.metadata?.name} already, and may refuse a second name`;
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return undefined;
    throw error;
  }
}
