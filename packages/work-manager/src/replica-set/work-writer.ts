import { Label, type ManifestWorkReplicaSet, type ManifestWorkSpec } from '@flotilla/api-types';
import { isAbsence, KubeError, keyOf, mapLimited } from '@flotilla/kube';
import { clusterOf, type GeneratedWork, ownerLabelOf } from './generated-work.ts';
import type { GeneratedWorks } from './generated-works.ts';
import type { ClusterFailure, PlacementRollout } from './placement-rollout.policy.ts';
import type { Template } from './template.ts';
import { workNameOf } from './work-name.ts';

/** Each request may carry half a megabyte. */
const mostAtOnce = 32;
const mostNames = 5;

/** What came of the writes for one placement. */
export interface WriteResult {
  /** Clusters whose work was created or updated. */
  readonly written: ReadonlySet<string>;
  readonly unwritten: readonly ClusterFailure[];
  /** What to try again. */
  readonly errors: readonly unknown[];
}

type Labels = Readonly<Record<string, string>>;

/** The labels of works: those of the replica set, and those by which they belong to it. */
const workLabels = (replicaSet: ManifestWorkReplicaSet, placement: string): Labels => ({
  ...replicaSet.metadata?.labels,
  [Label.ManifestWorkReplicaSet]: ownerLabelOf(replicaSet),
  [Label.ManifestWorkPlacement]: placement,
});

const hasLabels = ({ metadata }: GeneratedWork, labels: Labels): boolean =>
  Object.entries(labels).every(([key, value]) => metadata?.labels?.[key] === value);

/** As in OCM, labels that are not those of the template go with the next template. */
const labelPatch = ({ metadata }: GeneratedWork, labels: Labels) => ({
  ...Object.fromEntries(Object.keys(metadata?.labels ?? {}).map((key) => [key, null])),
  ...labels,
});

/** The spec as a merge patch that leaves nothing of what was there: lists are replaced, fields of objects are not. */
function specPatch({ workload, deleteOption, manifestConfigs, executor }: ManifestWorkSpec): object {
  return {
    workload: { manifests: workload?.manifests ?? [] },
    manifestConfigs: manifestConfigs ?? null,
    executor: executor ?? null,
    deleteOption: deleteOption
      ? { propagationPolicy: null, selectivelyOrphans: null, ttlSecondsAfterFinished: null, ...deleteOption }
      : null,
  };
}

/** Writes what a step for one placement says. What fails for one cluster does not keep the others from getting theirs. */
export async function writeWorks(
  works: GeneratedWorks,
  replicaSet: ManifestWorkReplicaSet,
  name: string,
  template: Template,
  rollout: Pick<PlacementRollout, 'create' | 'update' | 'delete' | 'current'>,
): Promise<WriteResult> {
  const labels = workLabels(replicaSet, name);
  const written = new Set<string>();
  const unwritten: ClusterFailure[] = [];
  const errors: unknown[] = [];

  const create = async (cluster: string): Promise<void> => {
    for (let attempt = 0; attempt < mostNames; attempt++) {
      const metadata = { namespace: cluster, name: workNameOf(replicaSet, name, attempt), labels: { ...labels } };
      if (await works.create({ metadata, spec: template.spec })) return;
    }
    throw new Error(`works of other owners have all names that the work of placement ${name} could have`);
  };
  const patch = async (work: GeneratedWork, spec?: object): Promise<void> => {
    const { uid, resourceVersion } = work.metadata ?? {};
    const metadata = { uid, resourceVersion, labels: spec ? labelPatch(work, labels) : labels };
    const body = { metadata, ...(spec && { spec }) };
    try {
      await works.cache.patch(keyOf(work), { type: 'merge', body });
    } catch (error) {
      // Its own event leads to another one, if the cluster is still selected.
      if (!isAbsence(error)) throw error;
    }
  };
  const attempt = async (cluster: string, write: () => Promise<void>): Promise<void> => {
    try {
      await write();
      written.add(cluster);
    } catch (error) {
      errors.push(error);
      // What another writer changed meanwhile is read and tried again at once: that is not worth a status.
      if (!KubeError.is(error, 'Conflict')) unwritten.push({ cluster, why: messageOf(error) });
    }
  };

  const spec = rollout.update.length > 0 ? specPatch(template.spec) : {};
  await mapLimited(
    [
      ...rollout.create.map((cluster) => () => attempt(cluster, () => create(cluster))),
      ...rollout.update.map((work) => () => attempt(clusterOf(work), () => patch(work, spec))),
      ...rollout.current
        .filter((work) => !hasLabels(work, labels))
        .map((work) => () => attempt(clusterOf(work), () => patch(work))),
      ...rollout.delete.map((work) => async () => {
        await works.delete(work).catch((error: unknown) => errors.push(error));
      }),
    ],
    mostAtOnce,
    (write) => write(),
  );
  return { written, unwritten, errors };
}

/** Deletes works of a replica set. Throws the first failure after all were tried. */
export async function deleteWorks(works: GeneratedWorks, redundant: readonly GeneratedWork[]): Promise<void> {
  const results = await mapLimited(redundant, mostAtOnce, (work) =>
    works.delete(work).then(
      () => undefined,
      (error: unknown) => ({ error }),
    ),
  );
  const failed = results.find((result) => result !== undefined);
  if (failed) throw failed.error;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
