import { type ManagedClusterAddOn, managedClusterAddOns } from '@flotilla/api-types';
import type { CloudEventsClient, ForwardHead } from '@flotilla/cloudevents';
import { KubeError } from '@flotilla/kube';
import { clusterRoleBindings, clusterRoles, configMaps, roleBindings } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forwarderUser, type SpecHub, startSpecHub } from '../fixtures/hub.ts';

const groupOf = (cluster: string, addOn: string) => `system:open-cluster-management:cluster:${cluster}:addon:${addOn}`;
const userOf = (cluster: string, addOn: string) => `${groupOf(cluster, addOn)}:agent:${addOn}`;
const rbac = 'rbac.authorization.k8s.io';
const cluster1Maps = '/api/v1/namespaces/cluster1/configmaps';

let hub: SpecHub;
let agent: CloudEventsClient;
beforeAll(async () => {
  hub = await startSpecHub();
  agent = await hub.agent('cluster1');
  const { client } = hub.plane;
  const impersonate = (resource: string, names: readonly string[]) => ({
    apiGroups: [''],
    resources: [resource],
    verbs: ['impersonate'],
    resourceNames: [...names],
  });
  const addOns = ['a', 'removed', 'changed', 'cut'].map((addOn) => ['cluster1', addOn] as const);
  await client.resource(clusterRoles).create({
    metadata: { name: 'forwarder' },
    rules: [
      impersonate(
        'users',
        addOns.map((names) => userOf(...names)),
      ),
      impersonate(
        'groups',
        addOns.map((names) => groupOf(...names)),
      ),
    ],
  });
  await client.resource(clusterRoleBindings).create({
    metadata: { name: 'forwarder' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'forwarder' },
    subjects: [{ apiGroup: rbac, kind: 'User', name: forwarderUser }],
  });
  await client.resource(roleBindings).create({
    metadata: { namespace: 'cluster1', name: 'add-ons' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'admin' },
    subjects: addOns.map((names) => ({ apiGroup: rbac, kind: 'Group', name: groupOf(...names) })),
  });
  for (const [cluster, addOn] of [...addOns, ['cluster1', 'ungranted'], ['cluster2', 'a']] as const) {
    await register(cluster, addOn);
  }
});
afterAll(() => hub?.[Symbol.asyncDispose]());

async function register(namespace: string, name: string): Promise<void> {
  const addOns = hub.plane.client.resource(managedClusterAddOns);
  await addOns.create({ metadata: { namespace, name }, spec: {} });
  await setSubject(namespace, name, {});
}
async function setSubject(namespace: string, name: string, subject: { user?: string; groups?: string[] }) {
  const registrations = [{ type: 'kubeClient', kubeClient: { driver: 'csr', subject } }] as NonNullable<
    ManagedClusterAddOn['status']
  >['registrations'];
  const patch = { type: 'merge', body: { status: { registrations } } } as const;
  await hub.plane.client.resource(managedClusterAddOns).status.patch(`${namespace}/${name}`, patch);
}

const bodyOf = (value: unknown) =>
  (async function* () {
    yield Buffer.from(JSON.stringify(value));
  })();

interface Sent extends Partial<ForwardHead> {
  readonly body?: unknown;
  readonly client?: CloudEventsClient;
}
async function open({ body, client = agent, ...head }: Sent) {
  const headers = body === undefined ? [] : [['content-type', 'application/json'] as const];
  const full = { clusterName: 'cluster1', addOnName: 'a', method: 'GET', path: cluster1Maps, headers, ...head };
  return client.forward(full, body === undefined ? {} : { body: bodyOf(body) });
}
async function send(sent: Sent): Promise<{ status: number; body: Record<string, unknown> }> {
  const { status, body } = await open(sent);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status, body: text ? JSON.parse(text) : {} };
}
const refusalOf = (sent: Sent): Promise<KubeError> =>
  open(sent).then(
    ({ status }) => Promise.reject(new Error(`it was answered with ${status}`)),
    (error: unknown) => KubeError.from(error),
  );

/** The names in the events of a watch, and how it ended. */
async function watch(addOnName: string) {
  const { body, status } = await open({ addOnName, path: `${cluster1Maps}?watch=true` });
  expect(status).toBe(200);
  const names: string[] = [];
  const ended = (async () => {
    for await (const chunk of body) {
      for (const line of Buffer.from(chunk).toString().split('\n').filter(Boolean)) {
        names.push(JSON.parse(line).object.metadata.name);
      }
    }
  })().then(
    () => undefined,
    (error: unknown) => KubeError.from(error),
  );
  return { names, ended };
}
const createMap = (name: string) =>
  hub.plane.client.resource(configMaps).create({ metadata: { namespace: 'cluster1', name } });

describe('an add-on over the connection of its cluster', () => {
  it('creates, reads, changes and deletes what its own rights permit', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'own' }, data: { a: '1' } };
    expect((await send({ method: 'POST', body: object })).status).toBe(201);
    const path = `${cluster1Maps}/own`;
    const { body: read } = await send({ path });
    expect(read.data).toEqual({ a: '1' });
    expect((await send({ method: 'PUT', path, body: { ...read, data: { a: '2' } } })).status).toBe(200);
    const headers = [['content-type', 'application/merge-patch+json'] as const];
    const { body: patched } = await send({ method: 'PATCH', path, headers, body: { data: { b: '3' } } });
    expect(patched.data).toEqual({ a: '2', b: '3' });
    const { body: list } = await send({ path: `${cluster1Maps}?fieldSelector=metadata.name%3Down` });
    expect(list.items).toHaveLength(1);
    expect((await send({ method: 'DELETE', path })).status).toBe(200);
    expect((await send({ path })).status).toBe(404);
  });

  it('is the user that it registered, and nobody else', async () => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { body: review } = await send({ method: 'POST', path, body });
    expect(review.status).toMatchObject({
      userInfo: { username: userOf('cluster1', 'a'), groups: [groupOf('cluster1', 'a'), 'system:authenticated'] },
    });
  });

  it('is refused by the API server what it has no right to, in its own name', async () => {
    const { status, body } = await send({ path: '/api/v1/namespaces/cluster2/configmaps' });
    expect(status).toBe(403);
    expect(body.message).toContain(`User "${userOf('cluster1', 'a')}" cannot list`);
  });

  it('watches', async () => {
    const { names } = await watch('a');
    await createMap('seen');
    await expect.poll(() => names).toContain('seen');
  });
});

describe('a request is refused', () => {
  it.each<[string, Sent, KubeError['code'], RegExp]>([
    ['for an add-on that is not there', { addOnName: 'forged' }, 'Forbidden', /is not registered/],
    ['for no add-on', { addOnName: '' }, 'Forbidden', /is not registered/],
    ['for another cluster', { clusterName: 'cluster2' }, 'Forbidden', /cannot forward requests/],
    ['for no cluster', { clusterName: '' }, 'Forbidden', /cannot forward requests/],
    ['with a name that leads elsewhere', { addOnName: '../cluster2/a' }, 'Forbidden', /is not registered/],
    ['that impersonates', { headers: [['impersonate-user', 'admin']] }, 'Forbidden', /cannot impersonate/],
    ['to upgrade', { headers: [['upgrade', 'websocket']] }, 'BadRequest', /upgraded/],
    ['that is too large', { method: 'POST', body: 'x'.repeat(5 * 1024 * 1024) }, 'RequestTooLarge', /larger/],
  ])('%s', async (_, sent, code, message) => {
    const error = await refusalOf(sent);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('to a bootstrap user', async () => {
    expect((await refusalOf({ client: hub.bootstrap })).message).toContain(`bootstrap-user cannot forward`);
  });

  it('as unavailable while the hub has not granted the server to act for the add-on', async () => {
    const error = await refusalOf({ addOnName: 'ungranted' });
    expect(error.code).toBe('Unavailable');
    expect(error.message).toContain(`act for ${userOf('cluster1', 'ungranted')} yet`);
  });
});

it('holds no more than 16 MiB of the bodies that a cluster sends, until they end', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, ' ');
  const ends: AbortController[] = [];
  /** Sends three mebibytes, and then nothing. */
  const stall = () => {
    const end = new AbortController();
    ends.push(end);
    const body = (async function* () {
      for (let i = 0; i < 3; i += 1) yield mebibyte;
      await new Promise((resolve) => end.signal.addEventListener('abort', resolve, { once: true }));
    })();
    const head = { clusterName: 'cluster1', addOnName: 'a', method: 'POST', path: cluster1Maps, headers: [] };
    return agent.forward(head, { body, signal: end.signal }).then(
      () => undefined,
      (error: unknown) => KubeError.from(error),
    );
  };
  const outcomes = Array.from({ length: 6 }, stall);
  expect(await Promise.race(outcomes)).toMatchObject({
    code: 'TooManyRequests',
    message: expect.stringContaining('has used up its limit "forwardBytes": 16777216 bytes'),
  });
  for (const end of ends) end.abort();
  await Promise.all(outcomes);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'after' } };
  await expect.poll(async () => (await send({ method: 'POST', body: object })).status).toBe(201);
});

describe('an open watch ends within seconds', () => {
  it('when the add-on is removed, and those of others go on', async () => {
    const [removed, other] = await Promise.all([watch('removed'), watch('a')]);
    await hub.plane.client.resource(managedClusterAddOns).delete('cluster1/removed');
    expect((await removed.ended)?.message).toContain('is not registered');
    await createMap('after-removal');
    await expect.poll(() => other.names).toContain('after-removal');
    expect(removed.names).not.toContain('after-removal');
  });

  it('when the agent of the cluster gives the add-on other rights than its own', async () => {
    const changed = await watch('changed');
    await setSubject('cluster1', 'changed', { groups: ['system:masters'] });
    expect((await changed.ended)?.message).toContain('"system:masters"');
    expect((await refusalOf({ addOnName: 'changed' })).code).toBe('Forbidden');
  });

  it('when the cluster loses its rights', async () => {
    const cut = await watch('cut');
    await hub.permit('cluster1', false);
    expect((await cut.ended)?.code).toBe('Forbidden');
    await hub.permit('cluster1', true);
  });
});
