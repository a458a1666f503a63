import { beforeEach, expect, it } from 'vitest';
import { type SecretData, secretAccess } from '../credentials/secret-access.ts';
import { createInformers, type Informers } from '../informer/informers.ts';
import { createKubeClient, type KubeClient } from '../resources/kube-client.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { secrets } from './built-in-kinds.ts';
import { secretData } from './secret-data.ts';

const key = 'agent/hub-kubeconfig-secret';
const metadata = { namespace: 'agent', name: 'hub-kubeconfig-secret' };

let clock: FakeClock;
let client: KubeClient;
let informers: Informers;
beforeEach(() => {
  clock = new FakeClock();
  client = createKubeClient({ transport: new FakeApi(clock), clock });
  informers = createInformers({ client, clock });
});

/** A Secret's data with a kubeconfig that has the token. */
function data(token: string): SecretData {
  const kubeconfig = {
    'current-context': 'x',
    clusters: [{ name: 'x', cluster: { server: 'https://hub' } }],
    users: [{ name: 'x', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  };
  return { kubeconfig: Buffer.from(JSON.stringify(kubeconfig)).toString('base64') };
}

const put = (token: string) => client.resource(secrets).patch(key, { type: 'merge', body: { data: data(token) } });

it('emits the data of a Secret once it is known, each change of it and its deletion, and of no other', async () => {
  await client.resource(secrets).create({ metadata: { ...metadata, name: 'other' }, data: data('o') });
  const observed: (SecretData | undefined)[] = [];
  const subscription = secretData(informers.resource(secrets, { namespace: 'agent' }), key).subscribe((found) =>
    observed.push(found),
  );
  expect(observed).toEqual([]);
  await clock.settle();
  expect(observed).toEqual([undefined]);
  await client.resource(secrets).create({ metadata, data: data('one') });
  await put('two');
  await client.resource(secrets).delete(key);
  await clock.settle();
  expect(observed).toEqual([undefined, data('one'), data('two'), undefined]);
  subscription.unsubscribe();
  await client.resource(secrets).create({ metadata, data: data('three') });
  await clock.settle();
  expect(observed).toHaveLength(4);
});

it('lets access follow a Secret from a cache, also through its deletion', async () => {
  await client.resource(secrets).create({ metadata, data: data('one') });
  const cached = informers.resource(secrets, { namespace: 'agent', fieldSelector: `metadata.name=${metadata.name}` });
  const source = secretAccess({ data: secretData(cached, key), origin: `Secret ${key}`, clock });
  expect((await source.current()).authorization).toBe('Bearer one');
  await client.resource(secrets).delete(key);
  await clock.settle();
  expect((await source.current()).authorization).toBe('Bearer one');
  await client.resource(secrets).create({ metadata, data: data('two') });
  await clock.settle();
  expect((await source.current()).authorization).toBe('Bearer two');
  source.close();
});

it('ends with the error of a cache that is closed before it was filled', async () => {
  const cached = informers.resource(secrets);
  const errors: unknown[] = [];
  secretData(cached, key).subscribe({ error: (error) => errors.push(error) });
  cached.close();
  await clock.settle();
  secretData(cached, key).subscribe({ error: (error) => errors.push(error) });
  await clock.settle();
  expect(errors).toMatchObject([{ code: 'Canceled' }, { code: 'Canceled' }]);
});
