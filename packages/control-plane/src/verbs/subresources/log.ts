import type { Pod } from '@flotilla/kube/kinds';
import type { Backend } from '../../contracts/backend.ts';
import type { Call, Outcome } from '../../contracts/call.ts';
import type { VerbHandler } from '../../contracts/handlers.ts';
import type { KubeletClient } from '../../contracts/kubelet.ts';
import { badRequest } from '../../errors/api-errors.ts';
import { containerOf, internal, kubeletOf } from '../../kubelets/pod-location.ts';
import { load } from '../get.ts';

/** `pods/log`: what the kubelet of the pod's node answers. */
export const logVerbs =
  (kubelet: KubeletClient): VerbHandler =>
  (backend, verb, call) =>
    call.info.storage === '/pods' && call.subresource === 'log' && verb === 'get'
      ? readLog(backend, call, kubelet)
      : undefined;

async function readLog(backend: Backend, call: Call, kubelet: KubeletClient): Promise<Outcome> {
  const pod = load(backend, call) as Pod;
  const container = containerOf(pod, call.query.get('container') ?? '');
  const address = kubeletOf(backend.storage, pod);
  const query = new URLSearchParams(call.query);
  query.delete('container');
  const path = ['containerLogs', call.namespace, call.name, container]
    .map((part) => encodeURIComponent(part ?? ''))
    .join('/');
  let answer: Awaited<ReturnType<KubeletClient['get']>>;
  try {
    answer = await kubelet.get(address, `/${path}`, query, call.signal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw internal(`Get "https://${address.host}:${address.port}/${path}": ${why}`);
  }
  if (answer.status === 200) return { kind: 'text', chunks: answer.chunks };
  let message = '';
  for await (const chunk of answer.chunks) message += chunk;
  if (answer.status === 400 || answer.status === 404) throw badRequest(message.trim());
  throw internal(`the kubelet answered ${answer.status}: ${message.trim()}`);
}
