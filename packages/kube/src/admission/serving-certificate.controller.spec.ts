import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { runControllers } from '../controller/run-controllers.ts';
import { createInformers } from '../informer/informers.ts';
import {
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  secrets,
  validatingWebhookConfigurations,
} from '../kinds/built-in-kinds.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import type { ServingPair } from '../pki/serving-pair.ts';
import { createKubeClient } from '../resources/kube-client.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { servingCertificateController } from './serving-certificate.controller.ts';

const key = 'hub/registration-webhook-serving-cert';
const hosts = ['webhook.hub.svc', '127.0.0.1'];
const hourMs = 3_600_000;

function world() {
  const clock = new FakeClock();
  const client = createKubeClient({ transport: new FakeApi(clock), clock });
  const replica = (changed: { hosts?: readonly string[]; lifeMs?: number } = {}) => {
    const stop = new AbortController();
    const informers = createInformers({ client, clock });
    const used: ServingPair[] = [];
    const controller = servingCertificateController({
      informers,
      secret: key,
      hosts,
      validating: ['validators'],
      mutating: ['mutators'],
      converting: ['things.example.com', 'others.example.com'],
      lifeMs: 3 * hourMs,
      use: (pair) => used.push(pair),
      clock,
      ...changed,
    });
    const failures: number[] = [];
    const log: Logger = { ...silentLogger, warn: () => failures.push(clock.now()), child: () => log };
    const ended = runControllers([controller], { signal: stop.signal, clock, log, random: () => 1 });
    const end = async () => {
      stop.abort();
      await ended;
      informers.close();
    };
    return { used, failures, [Symbol.asyncDispose]: end };
  };
  const webhook = {
    name: 'w',
    clientConfig: { url: 'https://127.0.0.1/' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const register = async () => {
    await client
      .resource(validatingWebhookConfigurations)
      .create({ metadata: { name: 'validators' }, webhooks: [webhook] });
    await client
      .resource(mutatingWebhookConfigurations)
      .create({ metadata: { name: 'mutators' }, webhooks: [webhook] });
  };
  const bundles = async () => {
    const configurations = [
      await client.resource(validatingWebhookConfigurations).find('validators'),
      await client.resource(mutatingWebhookConfigurations).find('mutators'),
    ];
    return configurations.map((found) =>
      Buffer.from(found?.webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64').toString(),
    );
  };
  /** Keys are generated without the fake clock. */
  const until = async (condition: () => boolean | Promise<boolean>) => {
    await expect
      .poll(async () => {
        await clock.settle();
        return condition();
      })
      .toBe(true);
  };
  return { clock, client, replica, register, bundles, until };
}

it('makes a certificate for its hosts that the configurations trust', async () => {
  const { client, replica, register, bundles, until } = world();
  await register();
  await using first = replica();
  await until(() => first.used.length === 1);
  const pair = first.used[0];
  const leaf = new X509Certificate(pair?.certificate ?? '');
  expect([leaf.checkHost('webhook.hub.svc'), leaf.checkIP('127.0.0.1')]).toEqual(hosts);
  expect(leaf.verify(new X509Certificate(pair?.ca ?? '').publicKey)).toBe(true);
  expect(await bundles()).toEqual([pair?.ca, pair?.ca]);
  const stored = await client.resource(secrets).find(key);
  expect([stored?.type, Object.keys(stored?.data ?? {}).sort()]).toEqual([
    'kubernetes.io/tls',
    ['ca.crt', 'tls.crt', 'tls.key'],
  ]);
});

it('waits longer and longer, and stores nothing, when it cannot make a certificate that it could use', async () => {
  const { clock, client, replica, until } = world();
  await using first = replica({ hosts: ['späh.example'] });
  await until(() => first.failures.length === 1);
  await clock.advance(99);
  expect(first.failures).toHaveLength(1);
  await clock.advance(1);
  await until(() => first.failures.length === 2);
  expect(await client.resource(secrets).find(key)).toBeUndefined();
});

it('renews a certificate of the shortest life after two thirds of it, and not before', async () => {
  const { clock, replica, register, until } = world();
  await register();
  await using first = replica({ lifeMs: 60_000 });
  await until(() => first.used.length === 1);
  await clock.advance(39_000);
  expect(first.used).toHaveLength(1);
  await clock.advance(2_000);
  await until(() => first.used.length === 2);
});

it('renews after two thirds of its life and keeps the old authority in the bundle while it is valid', async () => {
  const { clock, replica, register, bundles, until } = world();
  await register();
  await using first = replica();
  await using second = replica();
  await until(() => first.used.length === 1 && second.used.length === 1);
  expect(first.used[0]).toEqual(second.used[0]);
  await clock.advance(2 * hourMs);
  await until(() => first.used.length === 2 && second.used.length === 2);
  expect(first.used[1]).toEqual(second.used[1]);
  const [bundle = ''] = await bundles();
  expect(bundle.match(/BEGIN/g)).toHaveLength(2);
  expect(bundle).toContain(first.used[0]?.ca);
  await clock.advance(2 * hourMs);
  await until(() => first.used.length === 3);
  expect((await bundles())[0]).not.toContain(first.used[0]?.ca);
});

it('restores a CA bundle that was changed, and replaces a Secret that was broken', async () => {
  const { client, replica, register, bundles, until } = world();
  await using first = replica();
  await until(() => first.used.length === 1);
  await register();
  await until(async () => (await bundles()).every((bundle) => bundle === first.used[0]?.ca));
  const data = { 'tls.key': Buffer.from('nonsense').toString('base64') };
  await client.resource(secrets).patch(key, { type: 'merge', body: { data } });
  await until(() => first.used.length === 2);
  expect((await bundles())[0]).toContain(first.used[1]?.ca.split('-----END')[0]);
});

it('is trusted by definitions whose conversion it serves, and leaves those alone that need none', async () => {
  const { client, replica, until } = world();
  const definitions = client.resource(customResourceDefinitions);
  const define = (plural: string, conversion: { strategy: string; webhook?: typeof webhook }) =>
    definitions.create({
      metadata: { name: `${plural}.example.com` },
      spec: { group: 'example.com', names: { plural, kind: plural }, scope: 'Cluster', versions: [], conversion },
    });
  const webhook = { clientConfig: { service: { name: 's', namespace: 'n' } }, conversionReviewVersions: ['v1'] };
  await define('things', { strategy: 'Webhook', webhook });
  const others = await define('others', { strategy: 'None' });
  await using first = replica();
  await until(() => first.used.length === 1);
  const conversion = (await definitions.get('things.example.com')).spec.conversion;
  expect(conversion?.webhook).toEqual({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, caBundle: Buffer.from(first.used[0]?.ca ?? '').toString('base64') },
  });
  expect(await definitions.get('others.example.com')).toEqual(others);
});

it('takes over what another process left, without a new certificate', async () => {
  const { client, replica, until } = world();
  {
    await using first = replica();
    await until(() => first.used.length === 1);
  }
  const before = await client.resource(secrets).find(key);
  await using second = replica();
  await until(() => second.used.length === 1);
  expect((await client.resource(secrets).find(key))?.metadata?.resourceVersion).toBe(before?.metadata?.resourceVersion);
});
