import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Cluster, startCluster } from '@flotilla/envtest';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, expect, test } from 'vitest';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ controllerManager: false });
});
afterAll(() => cluster?.stop());

const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }] as const;
const create = (name: string) =>
  cluster.client.resource(configMaps).create({ metadata: { name, namespace: 'default' }, data: { from: 'client' } });

test('a validating webhook is called from its start to its end, and its denial reaches the client', async () => {
  {
    await using webhook = await cluster.startWebhook({
      type: 'validating',
      name: 'guard',
      rules,
      handler: ({ name }) =>
        name === 'forbidden' ? { allowed: false, code: 403, message: 'not on my watch' } : { allowed: true },
    });
    await create('allowed');
    await expect(create('forbidden')).rejects.toThrow(/not on my watch/);
    expect(webhook.requests.map(({ name, operation }) => `${operation} ${name}`)).toEqual([
      'CREATE allowed',
      'CREATE forbidden',
    ]);
  }
  await create('forbidden');
});

test('a mutating webhook changes the object', async () => {
  await using _webhook = await cluster.startWebhook({
    type: 'mutating',
    name: 'painter',
    rules,
    handler: () => ({ allowed: true, patch: [{ op: 'replace', path: '/data/from', value: 'webhook' }] }),
  });
  expect((await create('painted')).data).toEqual({ from: 'webhook' });
});

test.each([
  ['Fail', /failed calling webhook/],
  ['Ignore', undefined],
] as const)('a webhook that fails is handled by its failure policy %s', async (failurePolicy, message) => {
  await using _webhook = await cluster.startWebhook({
    type: 'validating',
    name: 'broken',
    rules,
    failurePolicy,
    handler: () => {
      throw new Error('out of order');
    },
  });
  const created = create(`broken-${failurePolicy.toLowerCase()}`);
  if (message) await expect(created).rejects.toThrow(message);
  else expect((await created).metadata?.uid).toBeDefined();
});

test('a webhook that the test serves itself is called with a certificate of the cluster', async () => {
  const { ca, certificate, key } = await cluster.issueServingCertificate();
  let calls = 0;
  const server = createServer({ cert: certificate, key }, (_request, response) => {
    calls += 1;
    response.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mine`;
  {
    await using _registered = await cluster.registerWebhook({ type: 'validating', name: 'own', rules, url, ca });
    await expect.poll(() => create(`own-${calls}`).catch((error: Error) => error.message)).toContain('own.flotilla');
    expect(calls).toBeGreaterThan(0);
  }
  server.close();
});
