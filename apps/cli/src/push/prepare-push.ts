import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { withOwner } from '@flotilla/install';
import { type KubeClient, keyOf } from '@flotilla/kube';
import { type MemberCredential, memberSecret } from '@flotilla/registration-core/push';
import type { KubeObject } from '@flotilla/schema';
import { changesBetween } from '../cluster/changes.ts';
import { cliOwner } from '../cluster/owner.ts';
import { type ChangesByObject, changesOfWrites, confirmChanges, formatByObject } from '../cluster/writes.ts';
import type { ChangeOptions, CliContext, Connection } from '../context.ts';
import { formatPlanned } from '../output/format.ts';
import type { Progress } from '../output/progress.ts';
import { withoutSecrets } from '../output/redact.ts';
import type { EarlierPush } from './earlier-push.ts';
import type { MemberWrites } from './member-grant.ts';
import { applyCluster } from './store-access.ts';

/** What a join writes on the hub. */
interface HubWrites {
  readonly wanted: ManagedCluster;
  /** Its token is not known yet. */
  readonly credential: MemberCredential;
  readonly earlier: EarlierPush | undefined;
}

/** What a join writes on both clusters. */
interface PushWrites {
  readonly onMember: MemberWrites;
  readonly onHub: HubWrites;
  /** The hub had a grant on the member before: the user sees the difference. */
  readonly isRepeated: boolean;
}

/** Prints the writes in a dry run, and the difference that they make of what is there. False if they are not to be made. */
export async function preparePush(
  context: CliContext,
  { dryRun, yes, output }: ChangeOptions & { readonly output: string },
  { hub, member, progress }: { hub: Connection; member: Connection; progress: Progress },
  { onMember, onHub, isRepeated }: PushWrites,
): Promise<boolean> {
  const changes = new Map([
    ...(isRepeated ? await changesOfWrites(member.client, onMember.first, cliOwner) : []),
    ...(isRepeated ? await changesOfWrites(member.client, onMember.last, cliOwner) : []),
    ...(onHub.earlier ? await changesOnHub(hub.client, onHub, onHub.earlier) : []),
  ]);
  if (!dryRun) {
    await confirmChanges(context, changes, { yes, progress });
    return true;
  }
  if (changes.size > 0) progress.done(`This command would change:\n\n${formatByObject(changes)}`);
  const { wanted, credential } = onHub;
  context.out.write(planned([...onMember.first.applied, wanted, memberSecret(asRead(wanted), credential)], output));
  return false;
}

/** The cluster as the API server answers a dry run; of the Secret the entries, which are replaced as a whole. */
async function changesOnHub(
  hub: KubeClient,
  { wanted, credential }: HubWrites,
  { secret }: EarlierPush,
): Promise<ChangesByObject> {
  const found = await hub.resource(managedClusters).find(keyOf(wanted));
  const after = found && (await applyCluster(hub, wanted, { dryRun: true }));
  const stored = memberSecret(asRead(wanted), credential);
  const entries = ({ data = {} }: { data?: Record<string, string> }) => ({ kind: 'Secret', ...{ data } });
  const changes = {
    [`ManagedCluster ${keyOf(wanted)}`]: found && after ? changesBetween(found, after) : [],
    [`Secret ${keyOf(stored)}`]: changesBetween(entries(secret), entries(stored)),
  };
  return new Map(Object.entries(changes).filter(([, list]) => list.length > 0));
}

/** In the form of the server, for a dry run. */
const asRead = (cluster: ManagedCluster): ManagedCluster => ({
  ...cluster,
  metadata: { ...cluster.metadata, uid: '…' },
});

const planned = (objects: readonly KubeObject[], output: string): string =>
  formatPlanned(
    objects.map((object) => withoutSecrets(withOwner(cliOwner, withKind(object)))),
    output,
  );

const withKind = (object: KubeObject): KubeObject =>
  object.kind === undefined
    ? { apiVersion: `${managedClusters.group}/${managedClusters.version}`, kind: managedClusters.kind, ...object }
    : object;
