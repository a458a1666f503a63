import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { type ScriptedAnswer, ScriptedTransport } from '../testing/scripted-transport.ts';
import { createRestMapper } from './rest-mapper.ts';

interface Served {
  resource: string;
  kind: string;
  scope?: string;
  shortNames?: string[];
}

const resource = ({ resource, kind, scope = 'Namespaced', shortNames }: Served) => ({
  resource,
  responseKind: { group: '', version: '', kind },
  scope,
  singularResource: kind.toLowerCase(),
  verbs: ['get', 'list'],
  shortNames,
  subresources: [{ subresource: 'status' }],
});

const group = (name: string, version: string, resources: Served[], freshness = 'Current') => ({
  metadata: { name },
  versions: [{ version, freshness, resources: resources.map(resource) }],
});

const aggregated = (...items: object[]): ScriptedAnswer => ({ body: { kind: 'APIGroupDiscoveryList', items } });

const core = group('', 'v1', [
  { resource: 'configmaps', kind: 'ConfigMap', shortNames: ['cm'] },
  { resource: 'events', kind: 'Event' },
  { resource: 'nodes', kind: 'Node', scope: 'Cluster', shortNames: ['no'] },
]);
const apps = group('apps', 'v1', [{ resource: 'deployments', kind: 'Deployment', shortNames: ['deploy'] }]);
const newEvents = group('events.k8s.io', 'v1', [{ resource: 'events', kind: 'Event' }]);

let clock: FakeClock;
let groups: object[];

beforeEach(() => {
  clock = new FakeClock();
  groups = [apps, newEvents];
});

const mapping = () => {
  const transport = new ScriptedTransport(({ path }) => (path === '/api' ? aggregated(core) : aggregated(...groups)));
  return { transport, mapper: createRestMapper({ transport, clock }) };
};

describe('a mapper', () => {
  it('finds a kind by one request per root, made at the first question', async () => {
    const { transport, mapper } = mapping();
    expect(transport.requests).toHaveLength(0);
    expect(await mapper.byKind('apps/v1', 'Deployment')).toMatchObject({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      plural: 'deployments',
      namespaced: true,
      subresources: ['status'],
    });
    expect(await mapper.byKind('v1', 'Node')).toMatchObject({ plural: 'nodes', namespaced: false });
    expect(transport.requests.map(({ path }) => path)).toEqual(['/api', '/apis']);
    expect(transport.requests[0]?.headers?.accept).toContain('g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  });

  it.each([
    ['cm', 'configmaps'],
    ['configmap', 'configmaps'],
    ['ConfigMap', 'configmaps'],
    ['deploy', 'deployments'],
    ['deployments.apps', 'deployments'],
    ['deployments.v1.apps', 'deployments'],
    ['configmaps.v1', 'configmaps'],
  ])('understands %s as %s', async (name, plural) => {
    expect(await mapping().mapper.byName(name)).toMatchObject({ plural });
  });

  it('prefers the first group for a name that several have', async () => {
    const { mapper } = mapping();
    expect(await mapper.byName('events')).toMatchObject({ group: '' });
    expect(await mapper.byName('events.events.k8s.io')).toMatchObject({ group: 'events.k8s.io' });
  });

  it('reads again when an unknown kind is asked, and finds one that was added meanwhile', async () => {
    const { transport, mapper } = mapping();
    await mapper.byKind('v1', 'Node');
    await clock.advance(1000);
    groups.push(group('x.io', 'v1', [{ resource: 'widgets', kind: 'Widget' }]));
    expect(await mapper.byKind('x.io/v1', 'Widget')).toMatchObject({ plural: 'widgets' });
    expect(transport.requests).toHaveLength(4);
  });

  it('answers a storm of unknown kinds with one reading in a short while', async () => {
    const { transport, mapper } = mapping();
    await mapper.byKind('v1', 'Node');
    await clock.advance(1000);
    const storm = (count: number) =>
      Promise.allSettled(Array.from({ length: count }, (_, index) => mapper.byKind('x.io/v1', `Kind${index}`)));
    await storm(500);
    expect(transport.requests).toHaveLength(4);
    await clock.advance(499);
    await storm(500);
    expect(transport.requests).toHaveLength(4);
    await clock.advance(1);
    await storm(500);
    expect(transport.requests).toHaveLength(6);
  });

  it('says when asking again may help', async () => {
    const { mapper } = mapping();
    await expect(mapper.byKind('x.io/v1', 'Widget')).rejects.toMatchObject({ code: 'UnknownKind', retryAfterMs: 500 });
    await clock.advance(200);
    await expect(mapper.byKind('x.io/v1', 'Widget')).rejects.toMatchObject({ retryAfterMs: 300 });
  });

  it('reads again at once after an invalidation', async () => {
    const { mapper } = mapping();
    await expect(mapper.byKind('x.io/v1', 'Widget')).rejects.toMatchObject({ code: 'UnknownKind' });
    groups.push(group('x.io', 'v1', [{ resource: 'widgets', kind: 'Widget' }]));
    mapper.invalidate();
    expect(await mapper.byKind('x.io/v1', 'Widget')).toMatchObject({ plural: 'widgets' });
  });

  it('does not keep a reading from before an invalidation', async () => {
    const { mapper } = mapping();
    const early = mapper.byKind('x.io/v1', 'Widget').catch((error: unknown) => error);
    mapper.invalidate();
    await early;
    groups.push(group('x.io', 'v1', [{ resource: 'widgets', kind: 'Widget' }]));
    expect(await mapper.byKind('x.io/v1', 'Widget')).toMatchObject({ plural: 'widgets' });
  });

  it.each([
    ['apps/v1', 'deployment', 'apps/v1 Deployment'],
    ['extensions/v1beta1', 'Deployment', 'apps/v1 Deployment'],
    ['apps/v1', 'Deploymnet', 'apps/v1 Deployment'],
    ['v1', 'cm', 'v1 ConfigMap'],
  ])('hints at what was meant by %s %s', async (apiVersion, kind, meant) => {
    await expect(mapping().mapper.byKind(apiVersion, kind)).rejects.toMatchObject({ hint: `Did you mean ${meant}?` });
  });

  it('calls a kind of a group that does not answer unavailable, not unknown', async () => {
    groups.push(group('metrics.k8s.io', 'v1beta1', [], 'Stale'));
    await expect(mapping().mapper.byKind('metrics.k8s.io/v1beta1', 'NodeMetrics')).rejects.toMatchObject({
      code: 'Unavailable',
      retryable: true,
      hint: expect.stringContaining('apiservices'),
    });
  });

  it('asks again after a failure', async () => {
    let fail = true;
    const transport = new ScriptedTransport(({ path }) => {
      if (fail) return { status: 503, body: '' };
      return path === '/api' ? aggregated(core) : aggregated();
    });
    const mapper = createRestMapper({ transport, clock });
    await expect(mapper.byKind('v1', 'Node')).rejects.toMatchObject({ code: 'Unavailable' });
    fail = false;
    expect(await mapper.byKind('v1', 'Node')).toMatchObject({ plural: 'nodes' });
  });
});

describe('an old server', () => {
  const answers: Record<string, ScriptedAnswer> = {
    '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
    '/apis': {
      body: {
        kind: 'APIGroupList',
        groups: [
          {
            name: 'autoscaling',
            versions: [{ version: 'v1' }, { version: 'v2' }],
            preferredVersion: { version: 'v2' },
          },
          { name: 'broken.io', versions: [{ version: 'v1' }] },
        ],
      },
    },
    '/api/v1': {
      body: {
        kind: 'APIResourceList',
        resources: [
          { name: 'pods', singularName: 'pod', kind: 'Pod', namespaced: true, verbs: ['get'], shortNames: ['po'] },
          { name: 'pods/log', kind: 'Pod', namespaced: true, verbs: ['get'] },
        ],
      },
    },
    '/apis/autoscaling/v1': { body: { resources: [{ name: 'hpas', kind: 'HPA', namespaced: true }] } },
    '/apis/autoscaling/v2': { body: { resources: [{ name: 'hpas', kind: 'HPA', namespaced: true }] } },
    '/apis/broken.io/v1': { status: 503, body: 'no endpoints' },
  };
  const mapper = () =>
    createRestMapper({
      transport: new ScriptedTransport(({ path }) => answers[path] ?? { status: 404, body: '' }),
      clock,
    });

  it('is read group by group', async () => {
    expect(await mapper().byName('po')).toMatchObject({ kind: 'Pod', subresources: ['log'], namespaced: true });
    expect(await mapper().byKind('autoscaling/v1', 'HPA')).toMatchObject({ version: 'v1' });
  });

  it('has its preferred version preferred', async () => {
    expect(await mapper().byName('hpas')).toMatchObject({ version: 'v2' });
  });

  it('does not fail as a whole because one group does', async () => {
    await expect(mapper().byKind('broken.io/v1', 'Thing')).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await mapper().all()).toHaveLength(3);
  });
});
