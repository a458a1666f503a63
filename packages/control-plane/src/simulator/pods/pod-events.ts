import type { Pod } from '@flotilla/kube/kinds';
import type { WorkloadEvent } from '../../workloads/events/workload-events.ts';

type Container = NonNullable<Pod['spec']>['containers'][number];

/** What a kubelet reports of a pod whose images are there, container by container. */
export function startEvents({ spec }: Pod): WorkloadEvent[] {
  return [
    ...(spec?.initContainers ?? []).flatMap((container) => eventsOf(container, 'spec.initContainers')),
    ...(spec?.containers ?? []).flatMap((container) => eventsOf(container, 'spec.containers')),
  ];
}

function eventsOf({ name, image = '' }: Container, list: string): WorkloadEvent[] {
  const fieldPath = `${list}{${name}}`;
  const present = `Container image ${JSON.stringify(image)} already present on machine and can be accessed by the pod`;
  return [
    { reason: 'Pulled', message: present, fieldPath },
    { reason: 'Created', message: 'Container created', fieldPath },
    { reason: 'Started', message: 'Container started', fieldPath },
  ];
}

/** Only what runs is stopped. */
export function stopEvents({ spec, status }: Pod): WorkloadEvent[] {
  if (status?.phase !== 'Running') return [];
  return (spec?.containers ?? []).map(({ name }) => ({
    reason: 'Killing',
    message: `Stopping container ${name}`,
    fieldPath: `spec.containers{${name}}`,
  }));
}
