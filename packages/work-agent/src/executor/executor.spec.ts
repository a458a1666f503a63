import type { ManifestWorkExecutor } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { roles } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ExecutorWorld, openExecutorWorld, rbac, rule, verbs } from './fixtures/executor-world.ts';

const clock = new FakeClock();
let plane: ControlPlane;
let world: ExecutorWorld;
let count = 0;

beforeAll(async () => {
  plane = await startControlPlane({ listen: false, clock });
});
afterAll(() => plane.stop());
beforeEach(async () => {
  count += 1;
  world = await openExecutorWorld(plane, clock, `ns${count}`);
});
afterEach(() => world.close());

describe('an executor', () => {
  it('[work 18.L-158] that is not a service account is refused as OCM does', async () => {
    const other: unknown = { subject: { type: 'User' } };
    await expect(world.executor.check(other as ManifestWorkExecutor, world.target('configmaps'))).rejects.toThrow(
      'only support ServiceAccount type for the executor',
    );
    await expect(
      world.executor.check({ subject: { type: 'ServiceAccount' } }, world.target('configmaps')),
    ).rejects.toThrow('the executor service account is nil');
  });

  it('[work 18.L-159] [work 18.L-161] without rights gets the reason why it is not allowed to apply, after one review', async () => {
    expect(await world.check(world.target('secrets', 'test'))).toBe(
      `not allowed to apply the resource  secrets, ${world.namespace} test, will try again in 1m0s`,
    );
    expect(world.takeReviews()).toEqual(['create secrets']);
  });

  it('[work 18.L-162] [work 18.L-163] may apply what its roles allow, by name if they say so', async () => {
    await world.grant('one', [{ ...rule('configmaps'), resourceNames: ['cm1'] }]);
    expect(await world.check(world.target('configmaps', 'cm1'))).toBeUndefined();
    expect(world.takeReviews()).toEqual(verbs.map((verb) => `${verb} configmaps`));
    expect(await world.check(world.target('configmaps', 'cm2'))).toBe(world.denied('configmaps', 'cm2'));
    await world.grant('all', [rule('configmaps')]);
    expect(await world.check(world.target('configmaps', 'cm3'))).toBeUndefined();
  });

  it('[work 18.L-164] needs the right to delete only for what goes with the work', async () => {
    await world.grant('kept', [rule('configmaps', ['create', 'update', 'patch', 'get'])]);
    expect(await world.check(world.target('configmaps', 'cm1', { owned: false }))).toBeUndefined();
    expect(await world.check(world.target('configmaps', 'cm1'))).toBe(world.denied('configmaps', 'cm1'));
  });

  it('fails when the server cannot be asked, and is asked again', async () => {
    world.refused.add('subjectaccessreviews');
    await expect(world.check(world.target('configmaps'))).rejects.toThrow('is not for you');
    world.refused.clear();
    expect(await world.check(world.target('configmaps'))).toBe(world.denied('configmaps'));
  });
});

describe('[work 18.L-160] [work 18.L-165] [work 18.L-166] giving away rights', () => {
  const role = (name: string): KubeObject & { rules: unknown } => ({
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name, namespace: world.namespace },
    rules: [rule('secrets')],
  });
  const request = (name = 'given') => world.target('roles', name, { group: rbac, manifest: role(name) });
  const escalation = (name = 'given') =>
    `not allowed to apply the resource ${rbac} roles, ${world.namespace} ${name}, error: permission escalation, will try again in 1m0s`;

  it('is refused to those who do not have them, also where the role exists', async () => {
    await world.grant('roles', [rule('roles', verbs, rbac)]);
    expect(await world.check(request())).toBe(escalation());
    expect(await plane.client.resource(roles).find(`${world.namespace}/given`)).toBeUndefined();
    expect(await world.check(request('roles'))).toBe(escalation('roles'));
  });

  it('is allowed to those who have them or may escalate, also where the role exists', async () => {
    await world.grant('escalate', [rule('roles', [...verbs, 'escalate'], rbac)]);
    expect(await world.check(request())).toBeUndefined();
    expect(await world.check(request('escalate'))).toBeUndefined();
    expect(await plane.client.resource(roles).find(`${world.namespace}/given`)).toBeUndefined();
  });

  it('is reviewed each time, whatever is remembered', async () => {
    await world.grant('roles', [rule('roles', [...verbs, 'escalate'], rbac)]);
    await world.untilRemembered(request());
    world.refused.add('/roles?');
    await expect(world.check(request())).resolves.toBe(escalation());
  });
});

describe('decisions', () => {
  it('[work 18.L-167] are asked for once: five questions for what is allowed and one for what is not', async () => {
    await world.grant('all', [rule('configmaps')]);
    await world.untilRemembered(world.target('pods'));
    for (let round = 0; round < 10; round += 1) {
      expect(await world.check(world.target('configmaps'))).toBeUndefined();
      expect(await world.check(world.target('secrets'))).toBe(world.denied('secrets'));
    }
    expect(world.takeReviews()).toEqual([...verbs.map((verb) => `${verb} configmaps`), 'create secrets']);
  });

  it('are asked for once by all who want to know at the same time', async () => {
    await world.grant('all', [rule('configmaps')]);
    await world.untilRemembered(world.target('pods'));
    await Promise.all(Array.from({ length: 10 }, () => world.check(world.target('configmaps'))));
    expect(world.takeReviews()).toHaveLength(5);
  });

  it('are not remembered where roles cannot be watched', async () => {
    world.refused.add('clusterrolebindings');
    await world.check(world.target('configmaps'));
    await clock.settle();
    await world.check(world.target('configmaps'));
    expect(world.takeReviews()).toHaveLength(2);
  });

  it('are asked for again after a while, refusals before the manifest is tried again', async () => {
    await world.grant('all', [rule('configmaps')]);
    await world.untilRemembered(world.target('configmaps'));
    await world.check(world.target('secrets'));
    world.takeReviews();
    await clock.advance(31_000);
    await world.check(world.target('configmaps'));
    await world.check(world.target('secrets'));
    expect(world.takeReviews()).toEqual(['create secrets']);
    await clock.advance(9.6 * 60_000);
    await world.check(world.target('configmaps'));
    expect(world.takeReviews()).toHaveLength(5);
  });
});
