import {
  bootstrapTokenSecret,
  isSignedBy,
  type StoredBootstrapToken,
  signatureKey,
} from '@flotilla/kube/bootstrap-token';
import { configMaps, secrets } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';

const token: StoredBootstrapToken = { id: 'abcdef', secret: '0123456789abcdef', usages: ['signing'], groups: [] };

it('cluster-info is signed by each token that may sign, again when it changes, and until the token ends', async () => {
  const plane = await startTestPlane();
  await using _ = plane.runControllers();
  await plane.quiet();
  const infos = plane.client.resource(configMaps);
  const key = 'kube-public/cluster-info';
  const signature = async () => (await infos.get(key)).data?.[signatureKey(token)] ?? '';
  const expiresAt = Date.parse('2026-01-01T01:00:00Z');
  await infos.create({ metadata: { namespace: 'kube-public', name: 'cluster-info' }, data: { kubeconfig: 'one' } });
  await plane.client.resource(secrets).create(bootstrapTokenSecret({ ...token, expiresAt }));
  await plane.client.resource(secrets).create(bootstrapTokenSecret({ ...token, id: 'second', usages: [] }));
  await plane.quiet();
  expect(isSignedBy('one', await signature(), token)).toBe(true);
  expect(Object.keys((await infos.get(key)).data ?? {}).sort()).toEqual([signatureKey(token), 'kubeconfig']);
  await infos.patch(key, { type: 'merge', body: { data: { kubeconfig: 'two' } } });
  await plane.quiet();
  expect(isSignedBy('two', await signature(), token)).toBe(true);
  await plane.clock.advance(3_600_000);
  await plane.quiet();
  expect((await infos.get(key)).data).toEqual({ kubeconfig: 'two' });
});
