import { customResourceDefinitions } from '@flotilla/kube';
import { identityOf, isRecord } from '../manifest.ts';
import { mapLimited } from '../map-limited.ts';
import type { ManifestResult } from '../status/manifest-status.ts';
import type { Pass, PassDeps } from './pass.ts';
import { type PlannedManifest, ranksOf } from './plan.ts';
import { settleManifest } from './settle-manifest.ts';

const mostAtOnce = 20;
/** A definition that takes longer is waited for by its events, and its work reports that the kind is not served. */
const establishMs = 10_000;

/** Settles all manifests: rank after rank, those of one rank at the same time. Answers in the order of the manifests. */
export async function settleManifests(deps: PassDeps, pass: Pass): Promise<ManifestResult[]> {
  const { plan } = pass.memory;
  const results: ManifestResult[] = [];
  for (const rank of ranksOf(plan)) {
    if (!pass.isWithdrawn()) await establish(deps, pass, rank);
    results.push(...(await mapLimited(rank, mostAtOnce, (planned) => settleManifest(deps, pass, planned))));
  }
  return results.sort((a, b) => a.meta.ordinal - b.meta.ordinal);
}

/** Waits for the definitions of this work whose kinds come next, so that both are applied in one go. */
async function establish({ kinds, log }: PassDeps, pass: Pass, rank: readonly PlannedManifest[]): Promise<void> {
  const names = new Set<string>();
  for (const { meta } of rank) {
    const definition = definitionOf(pass.memory.plan, meta);
    // Whether a kind cannot be looked up is told of its manifest, later.
    const find = () => kinds.find(pass.holder, `${meta.group}/${meta.version}`, meta.kind ?? '').catch(() => undefined);
    if (definition && isThere(pass, definition) && !(await find())) names.add(definition);
  }
  const wait = (name: string): Promise<void> =>
    kinds
      .whenEstablished(name, { signal: pass.signal, timeoutMs: establishMs })
      .catch((error: unknown) => log.warn('cannot wait for a definition', { definition: name, error }));
  await Promise.all([...names].map(wait));
}

/** A definition that could not be applied is not waited for: it would hold up everything else of the work. */
const isThere = ({ memory }: Pass, name: string): boolean => {
  const { group, plural: resource } = customResourceDefinitions;
  return memory.records.get(identityOf({ group, resource, name }))?.uid !== undefined;
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
