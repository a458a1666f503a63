import { Label, type ManagedCluster, type ManagedClusterTaint } from '@flotilla/api-types';
import type { AdmissionDecision, JsonPatchOperation } from '@flotilla/kube/admission';
import type { EpochMs } from '@flotilla/kube/clock';
import { formatTime, parseTime } from '@flotilla/kube/meta';
import { allow, badRequest } from './decisions.ts';

/** What the mutation of a cluster depends on besides the cluster. */
export interface MutationFacts {
  /** Milliseconds since the epoch. */
  readonly now: EpochMs;
  /** Whether clusters without a set go into `default`: the gate DefaultClusterSet. */
  readonly defaultSet: boolean;
}

/** A taint and what its time must become: the time, or a refusal. */
type TimedTaint = { readonly time: string } | { readonly keep: true } | { readonly refuse: string };

const sameTime = (a: string | null | undefined, b: string | null | undefined): boolean => {
  const seconds = (text: string | null | undefined) => Math.floor((parseTime(text ?? undefined) ?? 0) / 1000);
  return seconds(a) === seconds(b);
};

/** The old one of a taint: of the same key and effect if there is one, since a key may stand there with several effects. */
const formerOf = (taint: ManagedClusterTaint, old: readonly ManagedClusterTaint[]): ManagedClusterTaint | undefined =>
  old.find(({ key, effect }) => key === taint.key && effect === taint.effect) ??
  old.find(({ key }) => key === taint.key);

function timeOf(taint: ManagedClusterTaint, old: readonly ManagedClusterTaint[] | undefined, now: string): TimedTaint {
  if (!old) return { time: now };
  const former = formerOf(taint, old);
  const unchanged = former && (former.value ?? '') === (taint.value ?? '') && former.effect === taint.effect;
  if (!unchanged) return taint.timeAdded ? { refuse: taint.key } : { time: now };
  if (sameTime(former.timeAdded, taint.timeAdded)) return { keep: true };
  // One who applies a taint without its time does not mean to change the time.
  return !taint.timeAdded && former.timeAdded ? { time: former.timeAdded } : { refuse: taint.key };
}

const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

function setLabelPatch({ metadata }: ManagedCluster): readonly JsonPatchOperation[] {
  if (metadata?.labels?.[Label.ClusterSet]) return [];
  if (!metadata?.labels) return [{ op: 'add', path: '/metadata/labels', value: { [Label.ClusterSet]: 'default' } }];
  return [{ op: 'add', path: `/metadata/labels/${escapePointer(Label.ClusterSet)}`, value: 'default' }];
}

/** Stamps taints and puts a cluster without a set into `default`. `old` is undefined for a new cluster. */
export function mutateCluster(
  cluster: ManagedCluster,
  old: ManagedCluster | undefined,
  { now, defaultSet }: MutationFacts,
): AdmissionDecision {
  const before = old && (old.spec?.taints ?? []);
  const refused: string[] = [];
  const patch: JsonPatchOperation[] = [];
  for (const [index, taint] of (cluster.spec?.taints ?? []).entries()) {
    const timed = timeOf(taint, before, formatTime(now));
    if ('refuse' in timed) refused.push(timed.refuse);
    if ('time' in timed) patch.push({ op: 'add', path: `/spec/taints/${index}/timeAdded`, value: timed.time });
  }
  if (refused.length > 0) return badRequest(`It is not allowed to set TimeAdded of Taint "${refused.join(',')}".`);
  if (defaultSet) patch.push(...setLabelPatch(cluster));
  return patch.length > 0 ? { allowed: true, patch } : allow;
}
