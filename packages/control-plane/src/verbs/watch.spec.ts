import { configMaps, KubeError } from '@flotilla/kube';
import { expect, test } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';

test('a watch from before a compaction is told 410, so that the client lists again', async () => {
  const { client, backend } = await startTestPlane();
  const maps = client.resource(configMaps);
  const { metadata } = await maps.create({ metadata: { namespace: 'default', name: 'a' } });
  await maps.create({ metadata: { namespace: 'default', name: 'b' } });
  backend.storage.compact(backend.storage.revision);
  const watch = maps.watch({ namespace: 'default', resourceVersion: metadata?.resourceVersion ?? '' });
  const follow = async (): Promise<never> => {
    for await (const event of watch) throw new Error(`${event.type} instead of an end`);
    throw new Error('the watch ended in good order');
  };
  const error = await follow().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(KubeError);
  expect(error).toMatchObject({ code: 'Expired', status: 410 });
});
