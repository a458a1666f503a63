import { Label, type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { createInformers, createKubeClient } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import { GeneratedWorks } from './generated-works.ts';

const work: ManifestWork = {
  metadata: { namespace: 'c1', name: 'web', labels: { [Label.ManifestWorkReplicaSet]: 'ns.web' } },
  spec: {},
};

it('a work that was created and is not in the cache counts as there for half a minute, also when the clock is set back', async () => {
  const clock = new FakeClock();
  const api = new FakeApi(clock);
  // The watch is late, so that the cache stays empty.
  api.before = ({ method }) => (method === 'GET' ? new Promise(() => {}) : undefined);
  const client = createKubeClient({ transport: api, clock });
  using informers = createInformers({ client, clock });
  const works = new GeneratedWorks(informers, clock, Label.ManifestWorkReplicaSet);
  const names = () => works.of('ns/web').map(({ metadata }) => metadata?.name);

  await works.create(work);
  await client.resource(manifestWorks).delete('c1/web');
  clock.jump(-3_600_000);
  expect(works.awaitedMs('ns/web')).toBe(30_000);
  await clock.advance(29_000);
  expect(names()).toEqual(['web']);
  await clock.advance(1_000);
  expect(names()).toEqual([]);
  expect(works.awaitedMs('ns/web')).toBeUndefined();
});
