import { ownerReferenceTo } from '@flotilla/kube';
import type { Pod } from '@flotilla/kube/kinds';
import { controllerOf } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import type { WorkloadContext } from './context.ts';
import type { ReportEvent } from './events/workload-events.ts';
import { isActive } from './pod-state.ts';

/** The part of a workload that pods are made from. */
export interface PodTemplate {
  readonly metadata?: KubeObject['metadata'];
  readonly spec?: Pod['spec'];
}

const ownerIndex = 'owner';

/** Lets pods be found by the uid of their controller. */
export const indexByOwner = (pods: WorkloadContext['pods']): void =>
  pods.addIndex(ownerIndex, (pod) => [controllerOf(pod)?.uid ?? '']);

/** All pods of a workload, oldest first; equal ones by name. */
export const podsOf = (pods: WorkloadContext['pods'], owner: KubeObject): Pod[] =>
  pods.byIndex(ownerIndex, owner.metadata?.uid ?? '').sort(byAge);

const byAge = (left: Pod, right: Pod): number => {
  const [a, b] = [left, right].map(({ metadata }) => `${metadata?.creationTimestamp} ${metadata?.name}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
};

/** Wakes the workload of a kind that controls a pod. */
export const ownerKey =
  (kind: string) =>
  (pod: KubeObject): string | undefined => {
    const owner = controllerOf(pod);
    return owner?.kind === kind ? `${pod.metadata?.namespace}/${owner.name}` : undefined;
  };

/** A new pod of a workload: under a given name, or one that the server makes. */
export function podFrom(
  type: ResourceType,
  owner: KubeObject,
  template: PodTemplate,
  given: { name?: string; labels?: Readonly<Record<string, string>>; spec?: Partial<NonNullable<Pod['spec']>> } = {},
): Pod {
  const { name, labels, spec } = given;
  return {
    metadata: {
      namespace: owner.metadata?.namespace,
      ...(name === undefined ? { generateName: `${owner.metadata?.name}-` } : { name }),
      labels: { ...template.metadata?.labels, ...labels },
      ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
      ownerReferences: [ownerReferenceTo(type, owner, { controller: true, blockOwnerDeletion: true })],
    },
    spec: { ...(template.spec ?? { containers: [] }), ...spec },
  };
}

/** Creates and deletes the pods of one workload, and reports both as events of it. */
export interface PodControl {
  create(pod: Pod): Promise<void>;
  /** Unless it is gone or another by now. */
  remove(pod: Pod): Promise<void>;
}

/** How a controller words its events. */
export type PodEventMessage = (verb: 'Create' | 'Delete', pod: string, owner: string) => string;

const createdOrDeleted: PodEventMessage = (verb, pod) => `${verb}d pod: ${pod}`;

export function podControl(
  pods: WorkloadContext['pods'],
  type: ResourceType,
  owner: KubeObject,
  report: ReportEvent,
  messageOf: PodEventMessage = createdOrDeleted,
): PodControl {
  const reportPod = (verb: 'Create' | 'Delete', pod: Pod): void => {
    const message = messageOf(verb, pod.metadata?.name ?? '', owner.metadata?.name ?? '');
    report(type, owner, { reason: `Successful${verb}`, message });
  };
  return {
    async create(pod) {
      reportPod('Create', await pods.create(pod));
    },
    async remove(pod) {
      const { namespace, name, uid = '' } = pod.metadata ?? {};
      await pods.delete(`${namespace}/${name}`, { preconditions: { uid } });
      reportPod('Delete', pod);
    },
  };
}

export const activePodsOf = (pods: WorkloadContext['pods'], owner: KubeObject): Pod[] =>
  podsOf(pods, owner).filter(isActive);

/** Counts without those that are zero, as Go leaves them out. */
export const nonZero = <T extends Record<string, number>>(counts: T): Partial<T> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0)) as Partial<T>;
