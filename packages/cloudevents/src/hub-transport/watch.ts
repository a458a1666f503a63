import { KubeError } from '@flotilla/kube';
import type { KubeRequest, KubeStream } from '@flotilla/kube/transport';
import type { KubeObject } from '@flotilla/schema';
import type { HubKind } from './hub-kind.ts';
import type { ReplicaChange } from './replica.ts';
import { type RequestTarget, refusal } from './request-target.ts';
import { selection } from './selection.ts';
import { defaultDeadlineMs } from './serve.ts';
import { WatchStream } from './watch-stream.ts';

/** Watches a replica. The watch ends with the reason when its stream from the hub is refused or lost. */
export async function watch(request: KubeRequest, target: RequestTarget, kind: HubKind): Promise<KubeStream> {
  const synced = kind.synced?.();
  if (!synced) throw refusal('MethodNotAllowed', request);
  await synced.ready(request.signal, request.deadlineMs ?? defaultDeadlineMs);
  const { replica } = synced;
  const isSelected = selection(target);
  const withList = target.query.get('sendInitialEvents') === 'true';
  const from = Number(target.query.get('resourceVersion') ?? 0);
  const missed = withList ? [] : replica.since(from || Number(replica.revision));
  if (!missed) throw new KubeError('Expired', `the revision ${from} is too old`, { status: 410 });

  const stops: (() => void)[] = [];
  const stream = new WatchStream(() => {
    for (const stop of stops.splice(0)) stop();
  });
  const send = ({ type, object }: Pick<ReplicaChange, 'type' | 'object'>) => {
    if (isSelected(object)) stream.write({ type, object: typed(kind, object) });
  };
  if (withList) {
    for (const { object } of replica.list()) send({ type: 'ADDED', object });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    stream.write({
      type: 'BOOKMARK',
      object: typed(kind, { metadata: { resourceVersion: replica.revision, annotations } }),
    });
  }
  for (const change of missed) send(change);
  stops.push(
    replica.listen(send),
    synced.onLoss((error) => stream.end(error)),
  );
  const onAbort = () => stream.close();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  stops.push(() => request.signal?.removeEventListener('abort', onAbort));
  return stream;
}

const typed = ({ apiVersion, kind }: HubKind, object: KubeObject): KubeObject => ({ apiVersion, kind, ...object });
