import { readFileSync } from 'node:fs';
import { realClock } from '@flotilla/kube';
import { expect, it } from 'vitest';
import { followWorks } from '../examples/follow-works.ts';
import { Broker } from './broker/broker.ts';
import { type BundleStatus, decodeBundleStatus, encodeBundle } from './codecs/manifest-bundle.ts';
import { dataTypes } from './event/data-type.ts';
import { listedEvent } from './resync/listed-object.ts';
import { serveBroker } from './server/fixtures/served-broker.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('shows its example in the README', () => {
  expect(/```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1]).toBe(read('../examples/follow-works.ts'));
});

it('has an example that gets works over the wire and reports on them', async () => {
  const manifests = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }];
  const work = {
    metadata: { name: 'work', namespace: 'cluster1', uid: 'work-1', generation: 3 },
    spec: { workload: { manifests } },
  };
  const reports: BundleStatus[] = [];
  const purpose = { source: 'kube', now: realClock.now(), subresource: 'spec', action: 'create_request' } as const;
  const broker = new Broker<string>(
    [
      {
        dataType: dataTypes.manifestBundles,
        list: () => [listedEvent(encodeBundle(work, purpose))],
        handle: async (event) => void reports.push(decodeBundleStatus(event)),
      },
    ],
    { clock: realClock, maxQueued: 100 },
  );
  await using served = await serveBroker({ server: { broker } });
  const end = followWorks(served.client(), 'cluster1');
  await expect.poll(() => reports).toHaveLength(1);
  expect(reports[0]).toMatchObject({
    uid: 'work-1',
    generation: 3n,
    status: { conditions: [{ type: 'Applied', message: '1 manifests are applied' }] },
  });
  end();
});
