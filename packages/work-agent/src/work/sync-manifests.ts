import { mapLimited } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import { isRecord } from '@flotilla/schema';
import { identityOf } from '../manifest.ts';

import type { ObjectState } from './object-state.ts';
import { type PlannedManifest, ranksOf } from './plan.ts';
import type { SyncDeps, WorkSync } from './sync.ts';
import { type SyncedManifest, syncManifest } from './sync-manifest.ts';

const mostAtOnce = 20;
/** A definition that takes longer is waited for by its events, and its work reports that the kind is not served. */
const establishMs = 10_000;

/**
 * Syncs all manifests: rank after rank, those of one rank at the same time. Each state is recorded as soon as it is known, because
 * later ranks and other works depend on it. What came of them is in the order of the manifests.
 */
export async function syncManifests(
  deps: SyncDeps,
  sync: WorkSync,
  record: (identity: string, state: ObjectState) => void,
): Promise<SyncedManifest[]> {
  const all: SyncedManifest[] = [];
  for (const rank of ranksOf(sync.plan)) {
    if (!sync.isDeleted()) await establish(deps, sync, rank);
    const synced = await mapLimited(rank, mostAtOnce, async (planned) => {
      const one = await syncManifest(deps, sync, planned);
      if (one.state) record(identityOf(one.state.meta), one.state);
      return one;
    });
    all.push(...synced);
  }
  return all.sort((a, b) => a.result.meta.ordinal - b.result.meta.ordinal);
}

/** Waits for the definitions of this work whose kinds come next, so that one sync applies both. */
async function establish({ kinds, log }: SyncDeps, sync: WorkSync, rank: readonly PlannedManifest[]): Promise<void> {
  const names = new Set<string>();
  for (const { meta } of rank) {
    const definition = definitionOf(sync.plan, meta);
    // If a kind cannot be resolved, the sync of its manifest reports that.
    const find = () => kinds.find(sync.holder, `${meta.group}/${meta.version}`, meta.kind ?? '').catch(() => undefined);
    if (definition && isApplied(sync, definition) && !(await find())) names.add(definition);
  }
  const wait = (name: string): Promise<void> =>
    kinds
      .whenEstablished(name, { signal: sync.signal, timeoutMs: establishMs })
      .catch((error: unknown) => log.warn('cannot wait for a definition', { definition: name, error }));
  await Promise.all([...names].map(wait));
}

/** A definition that could not be applied is not waited for: it would delay all other manifests of the work. */
const isApplied = ({ objects }: WorkSync, name: string): boolean => {
  const { group, plural: resource } = customResourceDefinitions;
  return objects.get(identityOf({ group, resource, name }))?.uid !== undefined;
};

/** The name of the definition in this work that defines the kind of a manifest. */
function definitionOf(plan: readonly PlannedManifest[], meta: PlannedManifest['meta']): string | undefined {
  const { group, kind } = customResourceDefinitions;
  return plan.find(({ manifest, meta: other }) => {
    if (other.kind !== kind || other.group !== group) return false;
    const spec = isRecord(manifest?.spec) ? manifest.spec : {};
    return spec.group === meta.group && isRecord(spec.names) && spec.names.kind === meta.kind;
  })?.meta.name;
}
