import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployment, gadget, gadgetDefinition, job, namespace, role, serviceAccount } from '../fixtures/manifests.ts';
import { conditionStatuses, configMap, ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const group = 'restart.example.com';
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace: 'default', name: 'svc' },
  spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
};
const networkPolicy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { namespace: 'default', name: 'np' },
  spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
};
const manifests = [
  gadgetDefinition(group),
  gadget(group, 'g1'),
  namespace('restarted'),
  configMap('cm', { a: '1' }, 'restarted'),
  role('role'),
  serviceAccount('sa'),
  deployment('web', 2),
  service,
  job('job'),
  networkPolicy,
];

describe('an agent that restarts', () => {
  it('writes nothing that has not changed, also what the server filled in', async () => {
    await world.createWork('all', manifests);
    expect(conditionStatuses((await world.work('all'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
    ]);
    await world.stop();
    world.takeRequests();
    await world.start();
    const requests = world.takeRequests();
    expect(requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
    expect(requests.filter((request) => request.startsWith('GET') && !request.startsWith('GET /api'))).toHaveLength(
      manifests.length,
    );
  });

  it('repairs what was changed, deleted and ordered while it was away', async () => {
    await world.stop();
    await world.edit(deployment('web'), { spec: { replicas: 9 } });
    await world.edit(networkPolicy, { spec: { policyTypes: ['Ingress', 'Egress'] } });
    await world.remove(configMap('cm', {}, 'restarted'));
    await world.updateManifests(
      'all',
      manifests.map((manifest) =>
        manifest === service ? { ...service, spec: { ...service.spec, ports: [{ port: 81 }] } } : manifest,
      ),
    );
    await world.start();
    expect((await world.object(deployment('web')))?.spec).toMatchObject({ replicas: 2 });
    expect((await world.object(networkPolicy))?.spec).toMatchObject({ policyTypes: ['Ingress'] });
    expect((await world.object(configMap('cm', {}, 'restarted')))?.data).toEqual({ a: '1' });
    expect((await world.object(service))?.spec).toMatchObject({ ports: [{ port: 81 }] });
    expect(conditionStatuses((await world.work('all'))?.status?.conditions)).toEqual([
      'Applied=True',
      'Available=True',
    ]);
  });

  it('drops a field that the manifest dropped meanwhile', async () => {
    await world.stop();
    await world.updateManifests(
      'all',
      manifests.map((manifest) => (manifest.kind === 'Deployment' ? deployment('web') : manifest)),
    );
    await world.start();
    expect((await world.object(deployment('web')))?.spec).toMatchObject({ replicas: 1 });
  });

  it('finishes a deletion that began while it was away', async () => {
    await world.stop();
    await world.deleteWork('all');
    await world.start();
    await world.advance(1_000);
    expect(await world.work('all')).toBeUndefined();
    expect(await world.appliedWork('all')).toBeUndefined();
    expect(await world.object(deployment('web'))).toBeUndefined();
  });
});

describe('a hub that is away', () => {
  it('does not keep the agent from repairing, and gets the report when it is back', async () => {
    const paths = [{ type: 'JSONPaths' as const, jsonPaths: [{ name: 'a', path: '.data.seen' }] }];
    await world.createWork('away', [configMap('away', { a: '1' })], {
      manifestConfigs: [
        {
          resourceIdentifier: { resource: 'configmaps', namespace: 'default', name: 'away' },
          updateStrategy: { type: 'CreateOnly' },
          feedbackRules: paths,
        },
      ],
    });
    await world.createWork('away-2', [configMap('away-2', { a: '1' })]);
    world.cut('hub', true);
    await world.advance(120_000);
    await world.edit(configMap('away'), { data: { seen: 'while away' } });
    await world.edit(configMap('away-2'), { data: { a: 'other' } });
    expect((await world.object(configMap('away-2')))?.data).toEqual({ a: '1' });
    await world.advance(300_000);
    world.cut('hub', false);
    await world.createWork('ordered-meanwhile', [configMap('ordered-meanwhile')]);
    await world.advance(60_000);
    const [manifest] = (await world.work('away'))?.status?.resourceStatus?.manifests ?? [];
    expect(manifest?.statusFeedback?.values).toMatchObject([{ fieldValue: { string: 'while away' } }]);
    expect(await world.object(configMap('ordered-meanwhile'))).toBeDefined();
  });
});

describe('a cluster that is away', () => {
  it('gets what was ordered meanwhile when it is back', async () => {
    world.cut('spoke', true);
    await world.createWork('later', [configMap('later')]);
    await world.advance(120_000);
    expect(await world.object(configMap('later'))).toBeUndefined();
    world.cut('spoke', false);
    await world.advance(61_000);
    expect(await world.object(configMap('later'))).toBeDefined();
    expect(ofManifests(await world.work('later'), 'Applied')).toEqual(['True']);
  });
});
