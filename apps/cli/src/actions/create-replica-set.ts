import { type ManifestWorkReplicaSet, type ManifestWorkSpec, manifestWorkReplicaSets } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { specHash } from '@flotilla/work-manager';
import { CliError } from '../errors/cli-error.ts';
import { type PlacementName, requirePlacement } from '../work/placed-clusters.ts';

/** What becomes of a replica set. */
export interface ReplicaSetOutcome {
  readonly replicaSet: ManifestWorkReplicaSet;
  readonly text: string;
}

/** Gives a template to all clusters of a placement, now and later, by a replica set in the namespace of the placement. */
export async function writeReplicaSet(
  client: KubeClient,
  name: string,
  template: ManifestWorkSpec,
  placement: PlacementName,
  { overwrite = false, dryRun = false }: { readonly overwrite?: boolean; readonly dryRun?: boolean },
): Promise<ReplicaSetOutcome> {
  await requirePlacement(client, placement);
  const { namespace } = placement;
  const handle = client.resource(manifestWorkReplicaSets);
  const existing = await handle.find(`${namespace}/${name}`);
  const what = `work replicaset ${name} in namespace ${namespace}`;
  if (!existing) {
    const replicaSet = await handle.create(
      {
        metadata: { namespace, name },
        spec: {
          manifestWorkTemplate: template,
          placementRefs: [{ name: placement.name }],
          cascadeDeletionPolicy: 'Background',
        },
      },
      { dryRun },
    );
    return { replicaSet, text: `create ${what}` };
  }
  const isSame =
    specHash(existing.spec?.manifestWorkTemplate) === specHash(template) &&
    existing.spec?.placementRefs.some((ref) => ref.name === placement.name);
  if (isSame) return { replicaSet: existing, text: `${what} already exists` };
  if (!overwrite) {
    throw new CliError(
      'precondition',
      `${what} already exists, with other content`,
      'Replace its template with --overwrite, or take another name. Nothing was changed.',
    );
  }
  // Strategies that a user gave to the placement stay.
  const placementRefs = existing.spec?.placementRefs.filter((ref) => ref.name === placement.name) ?? [];
  const spec = {
    ...existing.spec,
    cascadeDeletionPolicy: existing.spec?.cascadeDeletionPolicy ?? 'Background',
    manifestWorkTemplate: template,
    placementRefs: placementRefs.length > 0 ? placementRefs : [{ name: placement.name }],
  };
  const replicaSet = await handle.replace({ ...existing, spec }, { dryRun });
  return { replicaSet, text: `update ${what}` };
}
