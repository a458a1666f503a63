import { KubeConfig } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { kubeConfigAccess } from './kube-config-access.ts';

it('credentials of a KubeConfig are read again each minute, also when the clock is set back', async () => {
  const clock = new FakeClock();
  const config = new KubeConfig();
  const user = { name: 'u', token: 'one' };
  config.loadFromOptions({
    clusters: [{ name: 'c', server: 'https://hub.example:6443' }],
    users: [user],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  });
  const source = kubeConfigAccess(config, { clock });
  expect(await source.current()).toMatchObject({ authorization: 'Bearer one' });
  user.token = 'two';
  clock.jump(-3_600_000);
  await clock.advance(59_000);
  expect(await source.current()).toMatchObject({ authorization: 'Bearer one' });
  await clock.advance(1000);
  expect(await source.current()).toMatchObject({ authorization: 'Bearer two' });
  source.close();
});
