import { Annotation, type ManifestWorkReplicaSet } from '@flotilla/api-types';
import { expect, it } from 'vitest';
import { hubOf, startManager, succeeded, template } from '../fixtures/running-manager.ts';
import { OfGeneration } from '../replica-set/of-generation.ts';
import { specHash } from '../replica-set/template.ts';
import { controllerRevisions, revisionsOf, templateOfRevision } from './controller-revision.ts';
import { keptRevisionOf } from './kept-revision.ts';

const start = async ({ isGateOn }: { readonly isGateOn: boolean } = { isGateOn: true }) => {
  const manager = await startManager(['c1', 'c2'], {
    ManifestWorkReplicaSet: true,
    ManifestWorkReplicaSetRevisions: isGateOn,
  });
  const hub = hubOf(manager);
  const set = (): Promise<ManifestWorkReplicaSet> => hub.sets.get('ns/web');
  const history = async () =>
    revisionsOf(await set(), (await manager.plane.client.resource(controllerRevisions).list()).items);
  const annotate = async (annotations: Record<string, string | null>) => {
    await hub.sets.patch('ns/web', { type: 'merge', body: { metadata: { annotations } } });
    await manager.quiet();
  };
  await hub.select('p', ['c1', 'c2']);
  return { manager, hub, history, annotate };
};

it('each template is kept once, and is the newest again when it comes back', async () => {
  const { manager, hub, history } = await start();
  await using _ = manager;
  await hub.create({}, { annotations: { [Annotation.ChangeCause]: 'the first' } });
  await hub.change({ manifestWorkTemplate: template('v2') });
  await hub.change({ manifestWorkTemplate: template('v1') });
  const [newest, older, ...none] = await history();
  expect(none).toEqual([]);
  expect([newest?.revision, older?.revision]).toEqual([3, 2]);
  expect(newest?.metadata?.annotations).toEqual({ [Annotation.ChangeCause]: 'the first' });
  expect(templateOfRevision(older ?? { revision: 0 })).toEqual(template('v2'));
  manager.takeWrites();
  await manager.restart();
  expect(manager.takeWrites()).toEqual([]);
});

it('no more are kept than the limit says', async () => {
  const { manager, hub, history } = await start();
  await using _ = manager;
  await hub.create({}, { annotations: { [Annotation.RevisionHistoryLimit]: '2' } });
  for (const version of ['v2', 'v3', 'v4', 'v5']) await hub.change({ manifestWorkTemplate: template(version) });
  expect((await history()).map(({ revision }) => revision)).toEqual([5, 4, 3]);
});

it.each([
  ['with', true],
  ['without', false],
])('a rollout that is paused changes no work %s the gate, and goes on when it is resumed', async (_case, isGateOn) => {
  const { manager, hub, annotate } = await start({ isGateOn });
  await using _ = manager;
  await hub.create({});
  await annotate({ [Annotation.RolloutPaused]: 'true' });
  await hub.change({ manifestWorkTemplate: template('v2') });
  expect(await hub.versions()).toEqual({ c1: 'v1', c2: 'v1' });
  await hub.select('p', ['c1']);
  expect(await hub.versions()).toEqual({ c1: 'v1' });
  await annotate({ [Annotation.RolloutPaused]: null });
  await hub.report('c1', succeeded);
  expect(await hub.versions()).toEqual({ c1: 'v2' });
});

it('the cache of revisions holds no templates, and a status of the replica set hashes none', () => {
  const spec = { workload: { manifests: [] } };
  const kept = keptRevisionOf({ metadata: { name: 'r' }, revision: 1, data: { spec: { manifestWorkTemplate: spec } } });
  expect(kept).toEqual({ metadata: { name: 'r' }, revision: 1, templateHash: specHash(spec) });
  let hashed = 0;
  const hashes = new OfGeneration(() => (hashed += 1));
  const replicaSet = { metadata: { uid: 'u', generation: 1 } };
  for (const resourceVersion of ['1', '2', '3']) {
    hashes.of('ns/web', { metadata: { ...replicaSet.metadata, resourceVersion } });
  }
  expect(hashed).toBe(1);
  hashes.of('ns/web', { metadata: { uid: 'u', generation: 2 } });
  expect(hashed).toBe(2);
});
