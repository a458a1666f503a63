import { createHash } from 'node:crypto';
import type { ManifestResourceMeta, ManifestWork } from '@flotilla/api-types';
import { stringifyJson } from '@flotilla/kube/meta';
import { isRecord } from '@flotilla/schema';
import { rankOf } from '../apply/rank.ts';
import { type Manifest, splitApiVersion } from '../manifest.ts';

/** A manifest of a work and where it stands. */
export interface PlannedManifest {
  readonly rank: number;
  /** What can be said before it is known where the kind is served. */
  readonly meta: ManifestResourceMeta;
  /** Without what only a server may set; undefined if it is not an object. */
  readonly manifest: Manifest | undefined;
  /** Of the manifest: another digest is another intent. Statuses name it, so another algorithm would run finished Jobs again. */
  readonly digest: string;
  /** Why it cannot be applied, whatever the cluster says. */
  readonly error?: string;
}

/** The manifests of a work in the order in which they are applied: by rank, then as listed. */
export function planOf(work: ManifestWork): PlannedManifest[] {
  const manifests: readonly unknown[] = work.spec?.workload?.manifests ?? [];
  return markDuplicates(manifests.map(planned)).sort((a, b) => a.rank - b.rank);
}

/** Two manifests of one object would undo each other for ever: the first counts, duplicates fail. */
function markDuplicates(plan: readonly PlannedManifest[]): PlannedManifest[] {
  const first = new Map<string, number>();
  return plan.map((each) => {
    const { group, kind, namespace, name, ordinal } = each.meta;
    const key = JSON.stringify([group, kind, namespace, name]);
    const earlier = first.get(key);
    if (!each.manifest || earlier === undefined) {
      first.set(key, ordinal);
      return each;
    }
    return { ...each, error: `the manifest is about the same object as manifest ${earlier}` };
  });
}

/** Those that may be applied at the same time, in the order of the groups. */
export function ranksOf(plan: readonly PlannedManifest[]): PlannedManifest[][] {
  const ranks = new Map<number, PlannedManifest[]>();
  for (const manifest of plan) {
    const together = ranks.get(manifest.rank);
    if (together) together.push(manifest);
    else ranks.set(manifest.rank, [manifest]);
  }
  return [...ranks.values()];
}

function planned(given: unknown, ordinal: number): PlannedManifest {
  const manifest = manifestOf(given);
  const { name = '', namespace = '' } = manifest?.metadata ?? {};
  const meta = {
    ordinal,
    ...splitApiVersion(manifest?.apiVersion),
    kind: manifest?.kind ?? '',
    resource: '',
    name,
    namespace,
  };
  const digest = createHash('sha1')
    .update(stringifyJson(manifest) ?? '')
    .digest('base64');
  return { rank: rankOf(manifest?.kind), meta, manifest, digest };
}

function manifestOf(given: unknown): Manifest | undefined {
  if (!isRecord(given) || typeof given.apiVersion !== 'string' || typeof given.kind !== 'string') return undefined;
  if (!isRecord(given.metadata)) return { ...given, metadata: {} };
  const { uid: _, ...metadata } = given.metadata;
  return { ...given, metadata };
}
