import { type KubeClient, KubeError } from '@flotilla/kube';
import { configMaps, customResourceDefinitions, type Pod, pods, resourceQuotas, services } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';
import { followDefinitions } from '../schema/definitions.ts';

const namespace = 'default';

async function startCounting(hard: Record<string, string>, spec: object = {}) {
  const plane = await startTestPlane();
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(followDefinitions(plane.backend));
  cleanup.use(plane.runControllers());
  await plane.quiet();
  const quotas = plane.client.resource(resourceQuotas);
  await quotas.create({ metadata: { namespace, name: 'q' }, spec: { hard, ...spec } });
  await plane.quiet();
  const used = async () => {
    await plane.quiet();
    return (await quotas.get(`${namespace}/q`)).status?.used;
  };
  const running = cleanup.move();
  return { ...plane, quotas, used, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const defineWidgets = (client: KubeClient) =>
  client.resource<KubeObject & { spec: object }>(customResourceDefinitions).create({
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  });

const refusal = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => 'nothing was refused',
    (error) => KubeError.from(error).apiStatus?.message,
  );

const map = (name: string) => ({ metadata: { namespace, name } });
const pod = (name: string, resources: object = {}, spec: object = {}): Pod => ({
  metadata: { namespace, name },
  spec: { containers: [{ name: 'c', image: 'i', resources }], ...spec },
});

describe('ResourceQuota', () => {
  it('refuses what is too much in the words of the API server, and counts what is there', async () => {
    await using plane = await startCounting({ 'count/configmaps': '3' });
    const maps = plane.client.resource(configMaps);
    // The namespace has one already: the CA of the server.
    expect(await plane.used()).toEqual({ 'count/configmaps': '1' });
    await maps.create(map('a'));
    await maps.create(map('b'));
    expect(await plane.used()).toEqual({ 'count/configmaps': '3' });
    expect(await refusal(maps.create(map('c')))).toBe(
      'configmaps "c" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=3, limited: count/configmaps=3',
    );
    await maps.delete(`${namespace}/a`);
    expect(await plane.used()).toEqual({ 'count/configmaps': '2' });
    await maps.create(map('c'));
  });

  it('grants no more than is left to many who ask at once', async () => {
    await using plane = await startCounting({ configmaps: '4' });
    const maps = plane.client.resource(configMaps);
    const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, at) => maps.create(map(`m${at}`))));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await plane.used()).toEqual({ configmaps: '4' });
  });

  it('charges nothing for a dry run or a name that is taken', async () => {
    await using plane = await startCounting({ configmaps: '4' });
    const maps = plane.client.resource(configMaps);
    await maps.create(map('a'));
    await maps.create(map('b'), { dryRun: true });
    expect(await refusal(maps.create(map('a')))).toContain('already exists');
    expect(await plane.used()).toEqual({ configmaps: '2' });
  });

  it('follows a change of its limits', async () => {
    await using plane = await startCounting({ configmaps: '1' });
    await plane.quotas.patch(`${namespace}/q`, {
      type: 'merge',
      body: { spec: { hard: { configmaps: '2', pods: '1' } } },
    });
    await plane.quiet();
    expect((await plane.quotas.get(`${namespace}/q`)).status).toEqual({
      hard: { configmaps: '2', pods: '1' },
      used: { configmaps: '1', pods: '0' },
    });
  });

  it('wants every container to say what a quota limits', async () => {
    await using plane = await startCounting({ 'requests.cpu': '1', 'limits.memory': '1Gi' });
    expect(await refusal(plane.client.resource(pods).create(pod('p')))).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    );
  });

  it('adds up what pods request and are limited to, until they are finished', async () => {
    await using plane = await startCounting({ pods: '5', 'requests.cpu': '1', 'limits.memory': '1Gi' });
    const handle = plane.client.resource(pods);
    const resources = { requests: { cpu: '600m' }, limits: { cpu: '1', memory: '512Mi' } };
    const created = await handle.create(pod('p', resources));
    expect(await plane.used()).toEqual({ pods: '1', 'requests.cpu': '600m', 'limits.memory': '512Mi' });
    expect(await refusal(handle.create(pod('q', resources)))).toBe(
      'pods "q" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    await handle.status.replace({ ...created, status: { phase: 'Succeeded' } });
    expect(await plane.used()).toEqual({ pods: '0', 'requests.cpu': '0', 'limits.memory': '0' });
  });

  it('is only about pods in its scopes', async () => {
    await using plane = await startCounting({ pods: '1' }, { scopes: ['BestEffort'] });
    const handle = plane.client.resource(pods);
    await handle.create(pod('asks', { requests: { cpu: '1' } }));
    expect(await plane.used()).toEqual({ pods: '0' });
    await handle.create(pod('quiet'));
    expect(await refusal(handle.create(pod('quiet-too')))).toContain('exceeded quota: q, requested: pods=1');
  });

  it('counts the ports of services, also those that an update adds', async () => {
    await using plane = await startCounting({
      services: '2',
      'services.nodeports': '2',
      'services.loadbalancers': '0',
    });
    const handle = plane.client.resource(services);
    const ports = [80, 81].map((port) => ({ name: `p${port}`, port }));
    const service = (name: string, spec: object) => ({ metadata: { namespace, name }, spec: { ports, ...spec } });
    expect(await refusal(handle.create(service('lb', { type: 'LoadBalancer' })))).toContain(
      'requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
    );
    await handle.create(service('a', { type: 'NodePort' }));
    await handle.create(service('b', {}));
    expect(await plane.used()).toEqual({ services: '2', 'services.nodeports': '2', 'services.loadbalancers': '0' });
    const update = handle.patch(`${namespace}/b`, { type: 'merge', body: { spec: { type: 'NodePort' } } });
    expect(await refusal(update)).toContain('exceeded quota: q, requested: services.nodeports=2');
  });

  it('counts custom resources', async () => {
    await using plane = await startCounting({ 'count/widgets.example.com': '1' });
    expect(await plane.used()).toBeUndefined();
    await defineWidgets(plane.client);
    expect(await plane.used()).toEqual({ 'count/widgets.example.com': '0' });
    const widgets = plane.client.resource({
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    });
    await widgets.create(map('a'));
    expect(await refusal(widgets.create(map('b')))).toBe(
      'widgets.example.com "b" is forbidden: exceeded quota: q, requested: count/widgets.example.com=1, used: count/widgets.example.com=1, limited: count/widgets.example.com=1',
    );
  });
});
