import { managedClusters, NamespaceName } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { namespaces, selfSubjectAccessReviews } from '@flotilla/kube/kinds';
import { clusterIdentityAnnotation } from '@flotilla/registration-core/contract';
import type { CliContext, Connection } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { noIdentity, type Preflight, SkippedCheck } from './preflight-report.ts';

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

/** Refusals are for the check of the hub that follows, which all of them fail. */
function skipRefused(error: unknown): never {
  if (!KubeError.is(error, 'Forbidden', 'Unauthorized', 'Tls', 'NotFound')) throw error;
  const { code, message } = KubeError.from(error);
  throw new SkippedCheck(code === 'Tls' ? 'the certificate of the hub is not trusted' : message);
}

/** When the server answered, as it says. */
async function serverTime({ transport }: KubeClient): Promise<number> {
  const { headers } = await transport.request({ method: 'GET', path: '/version' }).catch(skipRefused);
  const ms = Date.parse(String(headers.date ?? ''));
  if (Number.isNaN(ms)) throw new SkippedCheck('the hub does not say what time it is');
  return ms;
}

/** Refuses clocks that differ so much that a new certificate would not be valid yet, or a heartbeat too old. */
export function checkClock(server: number, now: number): void {
  const skewMs = now - server;
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
    const review = { spec: { resourceAttributes } };
    const { status } = await hub.resource(selfSubjectAccessReviews).create(review).catch(skipRefused);
    if (!status?.allowed) missing.push(`${resourceAttributes.verb} managedclusters ${clusterName}`);
  }
  if (missing.length === 0) return;
  // A server without the kind answers the same.
  if (missing.length === needed.length) throw new SkippedCheck('whether it is a hub is checked next');
  throw new CliError(
    'precondition',
    `the token cannot ${missing.join(', ')} on the hub`,
    'A join token can be for one cluster only: check --cluster-name, or get another with `flotilla token create`.',
  );
}

/** That the hub has this cluster under another name; undefined if it has not. */
export async function findSameIdentity(
  hub: KubeClient,
  clusterName: string,
  managed: KubeClient,
): Promise<string | undefined> {
  const uid = (await managed.resource(namespaces).find(NamespaceName.KubeSystem))?.metadata?.uid;
  if (uid === undefined) throw new SkippedCheck(noIdentity);
  try {
    const { items } = await hub.resource(managedClusters).list();
    const other = items.find(
      ({ metadata }) => metadata?.name !== clusterName && metadata?.annotations?.[clusterIdentityAnnotation] === uid,
    );
    if (!other) return undefined;
    return `the hub has this cluster as ${other.metadata?.name} already, and may refuse a second name`;
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) throw new SkippedCheck('the token cannot list clusters');
    throw error;
  }
}
