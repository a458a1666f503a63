import type { ManifestConfigOption } from '@flotilla/api-types';
import { manifestWorks } from '@flotilla/api-types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ofManifests, startWorld, type World } from '../fixtures/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.start();
});
afterAll(() => world[Symbol.asyncDispose]());

const rbac = 'rbac.authorization.k8s.io';
const account = { namespace: 'default', name: 'reader' };
const executor = { subject: { type: 'ServiceAccount' as const, serviceAccount: account } };
const secret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'default', name },
  stringData: { password: 'top' },
});
const role = (verbs: readonly string[]) => ({
  apiVersion: `${rbac}/v1`,
  kind: 'Role',
  metadata: { namespace: 'default', name: 'reader' },
  rules: [{ apiGroups: [''], resources: ['secrets'], verbs }],
});
const binding = {
  apiVersion: `${rbac}/v1`,
  kind: 'RoleBinding',
  metadata: { namespace: 'default', name: 'reader' },
  roleRef: { apiGroup: rbac, kind: 'Role', name: 'reader' },
  subjects: [{ kind: 'ServiceAccount', ...account }],
};
const spying = (name: string, strategy: 'Update' | 'ReadOnly' = 'Update'): ManifestConfigOption => ({
  resourceIdentifier: { group: '', resource: 'secrets', namespace: 'default', name },
  updateStrategy: { type: strategy },
  feedbackRules: [{ type: 'JSONPaths', jsonPaths: [{ name: 'password', path: '.data.password' }] }],
  conditionRules: [
    {
      type: 'CEL',
      condition: 'Guessed',
      celExpressions: ['object.data.password.startsWith("d")'],
      messageExpression: 'object.data.password',
    },
  ],
});
const manifestOf = async (name: string) => (await world.work(name))?.status?.resourceStatus?.manifests?.[0];
const reads = () => world.takeRequests('spoke').filter((request) => request.includes('secrets/'));

describe.each(['Update', 'ReadOnly'] as const)('with strategy %s, an executor without rights', (strategy) => {
  const name = `bait-${strategy.toLowerCase()}`;

  it('reveals nothing of a secret, whatever the rules read', async () => {
    await world.create(secret(name));
    world.takeRequests();
    await world.createWork(name, [secret(name)], { executor, manifestConfigs: [spying(name, strategy)] });
    await world.advance(120_000);
    expect(reads()).toEqual([]);
    expect(JSON.stringify((await world.work(name))?.status)).not.toContain(Buffer.from('top').toString('base64'));
    const manifest = await manifestOf(name);
    expect(manifest?.statusFeedback?.values).toBeUndefined();
    const message = `the executor is not allowed to get the resource  secrets, default ${name}`;
    expect(manifest?.conditions).toMatchObject([
      { type: 'Applied', status: 'False' },
      {
        type: 'Available',
        status: 'False',
        reason: 'ResourceNotAvailable',
        message: `Resource is not available: ${message}`,
      },
      { type: 'StatusFeedbackSynced', status: 'False', message: expect.stringContaining(message) },
      { type: 'Guessed', status: 'Unknown', message },
    ]);
  });
});

describe('an executor that may read and not write', () => {
  it('gets what the rules find', async () => {
    await world.create(role(['get']));
    await world.create(binding);
    await world.advance(1_000);
    // The languages of rules are loaded when they are first used, which takes real time.
    await vi.waitFor(async () => {
      const manifest = await manifestOf('bait-update');
      expect(manifest?.statusFeedback?.values).toMatchObject([{ fieldValue: { string: 'dG9w' } }]);
    });
    expect(ofManifests(await world.work('bait-update'), 'Available')).toEqual(['True']);
    expect(ofManifests(await world.work('bait-update'), 'Applied')).toEqual(['False']);
  });

  it('costs no review while nothing changes for as long as its refusal is remembered', async () => {
    await world.advance(60_000);
    const reviews = () => world.requests.splice(0).filter(({ path }) => path === 'subjectaccessreviews').length;
    reviews();
    await world.edit(secret('bait-update'), { metadata: { labels: { a: '1' } } });
    await world.edit(secret('bait-update'), { metadata: { labels: { a: '2' } } });
    const asked = reviews();
    await world.edit(secret('bait-update'), { metadata: { labels: { a: '3' } } });
    expect([asked, reviews()]).toEqual([asked, 0]);
  });
});

describe('an executor that loses the right to read', () => {
  it('gets no more of what it applied than that it exists', async () => {
    await world.edit(role([]), { rules: role(['create', 'update', 'patch', 'get', 'delete']).rules });
    await world.createWork('own', [secret('own')], { executor, manifestConfigs: [spying('own')] });
    await world.advance(1_000);
    expect((await manifestOf('own'))?.statusFeedback?.values).toMatchObject([{ fieldValue: { string: 'dG9w' } }]);
    await world.remove(binding);
    await world.advance(1_000);
    world.takeRequests();
    await world.edit(secret('own'), { stringData: { password: 'other' } });
    await world.advance(120_000);
    expect(reads()).toEqual([]);
    expect(ofManifests(await world.work('own'), 'Available')).toEqual(['True']);
    expect((await manifestOf('own'))?.statusFeedback?.values).toBeUndefined();
  });

  it('gets no more of a work that is complete', async () => {
    await world.create(binding);
    await world.advance(1_000);
    const complete = { type: 'Complete', status: 'True', reason: 'Done', message: '' } as const;
    const lastTransitionTime = new Date(world.clock.now()).toISOString();
    await world.hub.client.resource(manifestWorks).status.patch('c1/own', {
      type: 'merge',
      body: { status: { conditions: [{ ...complete, lastTransitionTime }] } },
    });
    await world.quiet();
    await world.remove(binding);
    await world.advance(1_000);
    world.takeRequests();
    await world.edit(secret('own'), { stringData: { password: 'again' } });
    expect(reads()).toEqual([]);
    expect(JSON.stringify((await world.work('own'))?.status)).not.toContain(Buffer.from('again').toString('base64'));
  });
});
