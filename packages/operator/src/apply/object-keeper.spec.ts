import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createInformers, type Informers, realClock } from '@flotilla/kube';
import {
  type Deployment,
  deployments,
  namespaces,
  type Service,
  serviceAccounts,
  services,
} from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { firstValueFrom, take, timeout, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createObjectKeeper, type ObjectKeeper } from './object-keeper.ts';

const ownerLabel = 'example.com/created-by';
const options = { ownerLabel, fieldManager: 'test', kinds: [deployments, services, serviceAccounts] };

let plane: ControlPlane;
let informers: Informers;
let keeper: ObjectKeeper;

beforeEach(async () => {
  plane = await startControlPlane({ listen: false });
  await plane.client.resource(namespaces).create({ metadata: { name: 'hub' } });
  informers = createInformers({ client: plane.client, clock: realClock });
  keeper = createObjectKeeper({ ...options, informers });
  await keeper.whenSynced({ timeoutMs: 5000 });
});
afterEach(async () => {
  informers.close();
  await plane.stop();
});

const account = (annotations?: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'controller', namespace: 'hub', ...(annotations && { annotations }) },
});

const program = (image = 'flotilla/hub'): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'controller', namespace: 'hub' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'controller' } },
    template: {
      metadata: { labels: { app: 'controller' } },
      spec: { containers: [{ name: 'main', image }] },
    },
  },
});

const key = 'hub/controller';
const owner = { name: 'one' };

/** Waits until the cache has an object as `is` says. */
const cached = async (type: typeof deployments, is: (object: Deployment | undefined) => boolean) => {
  while (!is(keeper.get(type, key))) await firstValueFrom(keeper.changes.pipe(timeout(5000)));
};

describe('a keeper of objects', () => {
  it('creates what is rendered, with the label of its owner, and says what there is', async () => {
    const { relatedResources, generations } = await keeper.apply({ ...owner, labels: { team: 'a' } }, [
      account(),
      program(),
    ]);
    expect(relatedResources).toEqual([
      { group: '', version: 'v1', resource: 'serviceaccounts', namespace: 'hub', name: 'controller' },
      { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'hub', name: 'controller' },
    ]);
    expect(generations).toMatchObject([{ resource: 'deployments', name: 'controller', lastGeneration: 1 }]);
    const made = await plane.client.resource(deployments).get(key);
    expect(made.metadata?.labels).toMatchObject({ [ownerLabel]: 'one', team: 'a' });
  });

  it('writes nothing the second time', async () => {
    const { generations } = await keeper.apply(owner, [account(), program()]);
    const versions = async () => [
      (await plane.client.resource(serviceAccounts).get(key)).metadata?.resourceVersion,
      (await plane.client.resource(deployments).get(key)).metadata?.resourceVersion,
    ];
    const before = await versions();
    await cached(deployments, (object) => object !== undefined);
    await keeper.apply({ ...owner, generations }, [account(), program()]);
    expect(await versions()).toEqual(before);
  });

  it('removes a field that is rendered no more', async () => {
    await keeper.apply(owner, [account({ role: 'x', other: 'y' })]);
    await keeper.apply(owner, [account({ other: 'y' })]);
    const { metadata } = await plane.client.resource(serviceAccounts).get(key);
    expect(metadata?.annotations).toMatchObject({ other: 'y' });
    expect(metadata?.annotations).not.toHaveProperty('role');
  });

  it('[cli C15] reverts an edit of a Deployment, also one that adds something, and records the generation', async () => {
    const { generations } = await keeper.apply(owner, [program()]);
    const edited = await plane.client.resource(deployments).get(key);
    const container = { name: 'added', image: 'other' };
    edited.spec?.template.spec?.containers.push(container);
    await plane.client.resource(deployments).replace(edited);
    await cached(deployments, (object) => object?.spec?.template.spec?.containers.length === 2);
    const again = await keeper.apply({ ...owner, generations }, [program()]);
    const reverted = await plane.client.resource(deployments).get(key);
    expect(reverted.spec?.template.spec?.containers.map(({ name }) => name)).toEqual(['main']);
    expect(again.generations[0]?.lastGeneration).toBe(reverted.metadata?.generation);
  });

  it('names the owner of an object that is edited or deleted by somebody else', async () => {
    await keeper.apply(owner, [account()]);
    const woken = firstValueFrom(keeper.changes.pipe(take(2), toArray(), timeout(5000)));
    await plane.client.resource(serviceAccounts).delete(key);
    expect(new Set(await woken)).toEqual(new Set(['one']));
  });

  it('takes over an object that was there without an owner', async () => {
    await plane.client.resource(deployments).create(program('older'));
    await keeper.apply(owner, [program()]);
    const taken = await plane.client.resource(deployments).get(key);
    expect(taken.metadata?.labels?.[ownerLabel]).toBe('one');
    expect(taken.spec?.template.spec?.containers[0]?.image).toBe('flotilla/hub');
  });

  it('deletes what its owner has and is rendered no more, and nothing of another owner', async () => {
    const service = (name: string): Service => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'hub' },
      spec: { ports: [{ port: 80 }] },
    });
    await keeper.apply(owner, [account(), service('mine')]);
    await keeper.apply({ name: 'two' }, [service('other')]);
    while (!keeper.get(services, 'hub/other') || !keeper.get(services, 'hub/mine')) {
      await firstValueFrom(keeper.changes.pipe(timeout(5000)));
    }
    const left = await keeper.removeOthers('one', [account()]);
    expect(left.map(({ kind, metadata }) => `${kind} ${metadata?.name}`)).toEqual(['Service mine']);
    const names = (await plane.client.resource(services).list({ namespace: 'hub' })).items.map(
      (one) => one.metadata?.name,
    );
    expect(names).toEqual(['other']);
    expect(await plane.client.resource(serviceAccounts).find(key)).toBeDefined();
  });

  it('removes all that its owner has on the server, also what its cache does not have yet', async () => {
    const behind = createObjectKeeper({
      ...options,
      // As a cache whose watch is being opened again.
      informers: {
        resource: (type, selected) => Object.assign(informers.resource(type, selected), { list: () => [] }),
      },
    });
    await behind.apply(owner, [account()]);
    expect(await behind.removeOthers('one', [])).toEqual([]);
    expect((await behind.removeAll('one')).map(({ kind }) => kind)).toEqual(['ServiceAccount']);
    expect(await plane.client.resource(serviceAccounts).find(key)).toBeUndefined();
    expect(await behind.removeAll('one')).toEqual([]);
  });

  it('tries all objects, and its error names those that failed', async () => {
    const lost = { ...account(), metadata: { name: 'controller', namespace: 'absent' } };
    await expect(keeper.apply(owner, [lost, account()])).rejects.toThrow(/ServiceAccount absent\/controller: NotFound/);
    expect(await plane.client.resource(serviceAccounts).find(key)).toBeDefined();
  });
});
