import { keyOf } from '@flotilla/kube';
import type { ApiStatus } from '@flotilla/kube/errors';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { Backend } from '../../contracts/backend.ts';
import type { Call, Outcome } from '../../contracts/call.ts';
import type { VerbHandler } from '../../contracts/handlers.ts';
import { conflict, foreignStatus } from '../../errors/api-errors.ts';
import { admissionRequest, optionsObject } from '../admit.ts';
import { decodeObject } from '../body.ts';
import { load } from '../get.ts';
import { writeOptions } from '../write-options.ts';

interface Binding extends KubeObject {
  target?: { kind?: string; name?: string };
}

interface Schedulable extends KubeObject {
  spec?: { nodeName?: string };
  status?: { conditions?: { type: string }[] };
}

/** `pods/binding`: how a scheduler gives a pod to a node, once. */
export const bindingVerbs: VerbHandler = (backend, verb, call) =>
  call.info.storage === '/pods' && call.subresource === 'binding' && verb === 'create'
    ? bind(backend, call)
    : undefined;

async function bind(backend: Backend, call: Call): Promise<Outcome> {
  const options = writeOptions(call, 'create');
  const binding: Binding = decodeObject(call, { group: '', version: 'v1', kind: 'Binding' });
  const node = binding.target?.name ?? '';
  if (node === '') throw foreignStatus(targetRequired);
  const request = { dryRun: options.dryRun, optionsObject: optionsObject('CreateOptions', options) };
  const asked = admissionRequest(call, 'CREATE', { object: binding }, request);
  await backend.admission.mutate(asked, call.warn);
  await backend.admission.validate(asked, call.warn);
  const pod = load(backend, call) as Schedulable;
  const subject = { group: '', plural: 'pods/binding' };
  const refuse = (why: string) => conflict(subject, call.name ?? '', why);
  if (pod.metadata?.deletionTimestamp !== undefined) {
    throw refuse(`pod ${call.name} is being deleted, cannot be assigned to a host`);
  }
  if (pod.spec?.nodeName) throw refuse(`pod ${call.name} is already assigned to node "${pod.spec.nodeName}"`);
  if (!options.dryRun) backend.storage.put('/pods', keyOf(pod), bound(pod, node, formatTime(backend.clock.now())));
  return { kind: 'object', status: 201, object: { ...success } };
}

/** The API server has no reason for this one either. */
const targetRequired: ApiStatus = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'target.name: Required value',
  code: 500,
};

function bound(pod: Schedulable, nodeName: string, now: string): KubeObject {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  const next: Schedulable = {
    ...pod,
    spec: { ...pod.spec, nodeName },
    status: { ...pod.status, conditions: [...others, scheduled] },
  };
  return next;
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
