import {
  type ManifestCondition,
  type ManifestWork,
  ManifestWorkCondition,
  ManifestWorkReason,
  type ManifestWorkStatus,
  WorkManifestCondition,
} from '@flotilla/api-types';
import { findCondition, isConditionTrue } from '@flotilla/kube';
import { removeCondition, setCondition } from '@flotilla/kube/conditions';
import { stringifyJson } from '@flotilla/kube/meta';

/** What an API server stores of one object with etcd's default limit of 1.5 MiB, with room for what only the server writes. */
const largestObject = 1_400_000;
/** A smaller status always fits: the manifests of a work are limited to half a megabyte. */
const harmlessStatus = 700_000;

const sizeOf = (value: unknown): number => Buffer.byteLength(stringifyJson(value) ?? '');

/**
 * The status as far as the API server takes it. Manifests that are not applied, available or ready are listed first, then the others in
 * their order, as many as there is room for; a condition says how many are not listed. The conditions of the work are about all manifests.
 */
export function fitStatus(work: ManifestWork, status: ManifestWorkStatus, now: number): ManifestWorkStatus {
  const type = ManifestWorkCondition.StatusTruncated;
  const whole = { ...status, conditions: [...removeCondition(status.conditions ?? [], type)] };
  if (sizeOf(whole) <= harmlessStatus) return whole;
  const { labels, annotations } = work.metadata ?? {};
  const given = sizeOf([work.spec, labels, annotations]);
  const room = largestObject - given - sizeOf(whole.conditions) - longestNotice;
  const manifests = whole.resourceStatus?.manifests ?? [];
  const listed = select(manifests, room);
  if (listed.size === manifests.length) return whole;
  const omitted = manifests.filter((manifest) => !listed.has(manifest));
  const failing = omitted.filter((manifest) => !isHealthy(manifest)).length;
  const message = `${omitted.length} of ${manifests.length} manifests are not listed, because the status would be too large for the API server; ${failing} of those are not applied or not available. Split the work into smaller ones to see all.`;
  const notice = { type, status: 'True', reason: ManifestWorkReason.StatusTruncated.StatusTooLarge, message } as const;
  const observedGeneration = work.metadata?.generation ?? 0;
  return {
    ...whole,
    conditions: [...setCondition(status.conditions, { ...notice, observedGeneration }, now)],
    resourceStatus: { manifests: manifests.filter((manifest) => listed.has(manifest)) },
  };
}

/** More than the condition that reports it takes. */
const longestNotice = 1_000;

function select(manifests: readonly ManifestCondition[], room: number): ReadonlySet<ManifestCondition> {
  const byImportance = [...manifests.filter((each) => !isHealthy(each)), ...manifests.filter(isHealthy)];
  const listed = new Set<ManifestCondition>();
  let left = room;
  for (const manifest of byImportance) {
    left -= sizeOf(manifest) + 1;
    if (left < 0) break;
    listed.add(manifest);
  }
  return listed;
}

const isHealthy = ({ conditions }: ManifestCondition): boolean =>
  isConditionTrue(conditions, WorkManifestCondition.Applied) &&
  isConditionTrue(conditions, WorkManifestCondition.Available) &&
  (findCondition(conditions, WorkManifestCondition.ResourceReady)?.status ?? 'True') === 'True';
