import { createHash } from 'node:crypto';
import {
  Annotation,
  ControllerName,
  Label,
  type ManifestWorkReplicaSet,
  manifestWorkReplicaSets,
} from '@flotilla/api-types';
import {
  type Controller,
  defineController,
  done,
  type Informers,
  isDeleting,
  KubeError,
  keyOf,
  on,
  ownerReferenceTo,
  owns,
} from '@flotilla/kube';
import { ownerLabelOf } from '../replica-set/generated-work.ts';
import { OfGeneration } from '../replica-set/of-generation.ts';
import { specHash } from '../replica-set/template.ts';
import { type ControllerRevision, controllerRevisions, revisionSelector, revisionsOf } from './controller-revision.ts';
import { type KeptRevision, keptRevisionOf } from './kept-revision.ts';
import { historyLimitOf, planRevisions } from './revisions.policy.ts';

/** What it works with. */
export interface RevisionsInput {
  readonly informers: Informers;
}

const nameOf = (replicaSet: ManifestWorkReplicaSet, template: string): string => {
  const suffix = createHash('sha256').update(`${replicaSet.metadata?.uid} ${template}`).digest('hex').slice(0, 10);
  return `${replicaSet.metadata?.name?.slice(0, 200)}-${suffix}`;
};

/** Keeps the templates of replica sets as ControllerRevisions, to go back to. They go with their replica set. */
export function revisionsController({ informers }: RevisionsInput): Controller {
  const replicaSets = informers.resource(manifestWorkReplicaSets);
  const revisions = informers.resource<KeptRevision>(controllerRevisions, {
    labelSelector: revisionSelector,
    transform: keptRevisionOf,
    indexes: { owner: ({ metadata }) => (metadata?.ownerReferences ?? []).map(({ uid }) => uid) },
  });

  const create = async (replicaSet: ManifestWorkReplicaSet, template: string, revision: number): Promise<void> => {
    const { namespace, annotations = {} } = replicaSet.metadata ?? {};
    const cause = annotations[Annotation.ChangeCause];
    const created: ControllerRevision = {
      metadata: {
        namespace,
        name: nameOf(replicaSet, template),
        labels: { [Label.ManifestWorkReplicaSet]: ownerLabelOf(replicaSet) },
        ...(cause !== undefined && { annotations: { [Annotation.ChangeCause]: cause } }),
        ownerReferences: [ownerReferenceTo(manifestWorkReplicaSets, replicaSet, { controller: true })],
      },
      data: { spec: { manifestWorkTemplate: replicaSet.spec?.manifestWorkTemplate ?? {} } },
      revision,
    };
    try {
      await revisions.create(created);
    } catch (error) {
      // The name says which template it is: it was created before, and the cache does not have it yet.
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
    }
  };

  const hashes = new OfGeneration(({ spec }: ManifestWorkReplicaSet) => specHash(spec?.manifestWorkTemplate));
  return defineController({
    name: ControllerName.ManifestWorkReplicaSetRevision,
    isOptional: true,
    watches: [on(replicaSets), owns(revisions, manifestWorkReplicaSets)],
    async reconcile(key) {
      const replicaSet = replicaSets.get(key);
      if (!replicaSet || isDeleting(replicaSet)) hashes.forget(key);
      if (!replicaSet || isDeleting(replicaSet) || ownerLabelOf(replicaSet).length > 63) return done;
      const template = hashes.of(key, replicaSet);
      const kept = revisionsOf(replicaSet, revisions.byIndex('owner', replicaSet.metadata?.uid ?? ''));
      const plan = planRevisions(template, kept, historyLimitOf(replicaSet));
      if (plan.create !== undefined) await create(replicaSet, template, plan.create);
      if (plan.renumber) {
        const { revision, number } = plan.renumber;
        const { uid, resourceVersion } = revision.metadata ?? {};
        const body = { metadata: { uid, resourceVersion }, revision: number };
        await revisions.patch(keyOf(revision), { type: 'merge', body });
      }
      for (const old of plan.delete) {
        await revisions.delete(keyOf(old), { preconditions: { uid: old.metadata?.uid } });
      }
      return done;
    },
  });
}
