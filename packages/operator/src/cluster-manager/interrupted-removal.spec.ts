import { clusterManagers } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { KubeError } from '@flotilla/kube';
import { namespaces, secrets } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import type { KubeRequest, Transport } from '@flotilla/kube/transport';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubFixture, patience, startHubFixture } from './fixtures/hub-fixture.ts';

const name = 'hub1';
const webhook = { address: '127.0.0.1', port: 443 };
const spec = {
  deployOption: {
    mode: 'Hosted' as const,
    hosted: { registrationWebhookConfiguration: webhook, workWebhookConfiguration: webhook },
  },
};

let hub: ControlPlane;
let fixture: HubFixture;
let isLost: (request: KubeRequest) => boolean;

/** A server that does what it is asked for, on a machine so busy that the client does not get the answer. */
const losingAnswers = (inner: Transport): Transport => ({
  accessChanged: inner.accessChanged,
  async request(request) {
    const answer = await inner.request(request);
    if (isLost(request)) throw new KubeError('Timeout', `no answer to ${request.method} ${request.path} in time`);
    return answer;
  },
  stream: (request) => inner.stream(request),
  close: () => inner.close(),
});

const until = <T>(look: () => Promise<T> | T) => expect.poll(look, patience);

beforeEach(async () => {
  isLost = () => false;
  hub = await startControlPlane();
  fixture = await startHubFixture({}, { through: losingAnswers });
  const { client } = fixture.plane;
  await client.resource(namespaces).create({ metadata: { name } });
  const data = { kubeconfig: Buffer.from(hub.kubeconfig).toString('base64') };
  await client.resource(secrets).create({ metadata: { namespace: name, name: 'external-hub-kubeconfig' }, data });
});
afterEach(async () => {
  await fixture[Symbol.asyncDispose]();
  await hub.stop();
});

describe('a hosted hub that is deleted while answers are lost', () => {
  it.each([
    ['to the deletion of the namespace that has its kubeconfig', 'DELETE', `/api/v1/namespaces/${name}`],
    ['to the mark that the hub is gone', 'PATCH', `/clustermanagers/${name}/status`],
    ['to the removal of the finalizer', 'PATCH', `/clustermanagers/${name}`],
  ])('is removed to the end: %s', async (_, method, path) => {
    const before = await listAllObjects(hub.client);
    await fixture.apply(spec, { name });
    await until(() => fixture.condition('Applied', name)).toBe('True ClusterManagerApplied');
    let lost = 0;
    isLost = (request) =>
      request.method === method && (request.path.split('?', 1)[0] ?? '').endsWith(path) && ++lost <= 3;
    await fixture.plane.client.resource(clusterManagers).delete(name);
    await until(() => fixture.manager(name)).toBeUndefined();
    expect(lost).toBeGreaterThan(0);
    await until(() => listAllObjects(hub.client)).toEqual(before);
    await until(() => fixture.plane.client.resource(namespaces).find(name)).toBeUndefined();
  });
});
