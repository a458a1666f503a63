import { type ClusterAccess, createInformers, type KubeClient, realClock } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { type Figure, percentile } from '../lib/report.ts';
import { connectBare, watchBare } from './bare-http2.ts';

const writes = 1000;
/** How long the last event may take before the measurement is given up. */
const arrivalMs = 30_000;
const namespace = 'default';

/** From sending a write to the handler that receives it, by the kit's informer and by a bare watch of the same events. */
export async function measureWatches(client: KubeClient, access: ClusterAccess): Promise<Figure[]> {
  const handle = client.resource(configMaps);
  await handle.create({ metadata: { namespace, name: 'watched' } });
  using informers = createInformers({ client });
  const informer = informers.resource(configMaps, { namespace });
  await informer.whenSynced();
  const session = await connectBare(access);

  const sent = new Map<string, number>();
  const ours: number[] = [];
  const bare: number[] = [];
  const record = (into: number[], mark: string | undefined): void => {
    const at = mark === undefined ? undefined : sent.get(mark);
    if (at !== undefined) into.push(performance.now() - at);
  };
  const subscription = informer.changes.subscribe(({ object }) => record(ours, object.metadata?.annotations?.mark));
  const stop = await watchBare(session, `/api/v1/namespaces/${namespace}/configmaps?watch=true`, ({ object }) =>
    record(bare, object.metadata.annotations?.mark),
  );
  for (let index = 0; index < writes; index++) {
    const mark = `m${index}`;
    sent.set(mark, performance.now());
    await handle.patch(`${namespace}/watched`, { type: 'merge', body: { metadata: { annotations: { mark } } } });
  }
  const deadline = performance.now() + arrivalMs;
  while (ours.length < writes || bare.length < writes) {
    if (performance.now() > deadline)
      throw new Error(`of ${writes} writes, ${ours.length} and ${bare.length} were seen`);
    await realClock.sleep(10);
  }
  subscription.unsubscribe();
  stop();
  session.close();
  const figure = (what: string, share: number): Figure => ({
    what,
    ours: percentile(ours, share),
    unit: 'ms',
    peer: { name: 'bare watch', value: percentile(bare, share) },
  });
  return [figure('write to handler, p50', 0.5), figure('write to handler, p99', 0.99)];
}
