import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ExecutorWorld, openExecutorWorld, rbac, rule } from './fixtures/executor-world.ts';

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

describe('a change of rights', () => {
  const remove = async (kind: 'roles' | 'roleBindings' | 'clusterRoles' | 'clusterRoleBindings', name: string) => {
    const kinds = { roles, roleBindings, clusterRoles, clusterRoleBindings };
    await plane.client
      .resource<KubeObject>(kinds[kind])
      .delete(kind.startsWith('cluster') ? name : `${world.namespace}/${name}`);
  };

  it('[work 18.L-169] that gives or takes them wakes the works, and is seen at the next check', async () => {
    await world.untilRemembered(world.target('configmaps'));
    await world.grant('all', [rule('configmaps')]);
    await vi.waitFor(() => expect(world.changes).toContain(world.key));
    await vi.waitFor(async () => expect(await world.check(world.target('configmaps'))).toBeUndefined());
    await clock.advance(1000);
    await world.untilRemembered(world.target('configmaps'));

    await remove('roleBindings', 'all');
    await vi.waitFor(() => expect(world.changes).toContain(world.key));
    await vi.waitFor(async () =>
      expect(await world.check(world.target('configmaps'))).toBe(world.denied('configmaps')),
    );
  });

  it('wakes the works once more a moment later, when the server has surely seen it', async () => {
    await world.untilRemembered(world.target('configmaps'));
    await world.grant('all', [rule('configmaps')]);
    await vi.waitFor(() => expect(world.changes).toContain(world.key));
    const before = world.changes.length;
    await clock.advance(500);
    expect(world.changes).toHaveLength(before + 1);
    await clock.advance(5000);
    expect(world.changes).toHaveLength(before + 1);
  });

  it('[work 18.L-168] in a role of any kind, or in a binding of any kind, is one', async () => {
    const name = `all-${world.namespace}`;
    const { client } = plane;
    await client.resource(clusterRoles).create({ metadata: { name }, rules: [rule('configmaps')] });
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
    const subjects = [world.serviceAccount];
    await client.resource(clusterRoleBindings).create({ metadata: { name }, roleRef, subjects });
    await client
      .resource(roleBindings)
      .create({ metadata: { name: 'by-cluster-role', namespace: world.namespace }, roleRef, subjects });
    await world.grant('role', [rule('pods')]);

    for (const [kind, each] of [
      ['roles', 'role'],
      ['roleBindings', 'role'],
      ['clusterRoleBindings', name],
      ['clusterRoles', name],
      ['roleBindings', 'by-cluster-role'],
    ] as const) {
      await world.untilRemembered(world.target('configmaps'));
      await remove(kind, each);
      await vi.waitFor(() => expect(world.changes, `${kind} ${each}`).toContain(world.key));
      await clock.advance(1000);
    }
  });

  it.each([
    ['the user', () => ({ kind: 'User', apiGroup: rbac, name: `system:serviceaccount:${world.namespace}:executor` })],
    ['its group', () => ({ kind: 'Group', apiGroup: rbac, name: `system:serviceaccounts:${world.namespace}` })],
    ['everyone', () => ({ kind: 'Group', apiGroup: rbac, name: 'system:authenticated' })],
  ])('that names %s is one', async (_, subject) => {
    await world.untilRemembered(world.target('configmaps'));
    await world.grant('all', [rule('configmaps')], subject());
    await vi.waitFor(() => expect(world.changes).toContain(world.key));
  });

  it('that names the account without its namespace is one, for the namespace of the binding', async () => {
    await world.untilRemembered(world.target('configmaps'));
    await world.grant('all', [rule('configmaps')], { kind: 'ServiceAccount', name: 'executor' });
    await vi.waitFor(() => expect(world.changes).toContain(world.key));
    await clock.advance(1000);
    expect(await world.check(world.target('configmaps'))).toBeUndefined();
    await world.untilRemembered(world.target('configmaps'));
    await remove('roleBindings', 'all');
    await vi.waitFor(() => expect(world.changes).toContain(world.key));
  });

  it('of others is none', async () => {
    await world.untilRemembered(world.target('configmaps'));
    await world.grant('other', [rule('configmaps')], { ...world.serviceAccount, name: 'other' });
    await world.grant('own', [rule('pods')]);
    await vi.waitFor(() => expect(world.changes).toContain(world.key));
    expect(world.changes).toEqual([world.key]);
  });

  it('between a question and its answer is not overwritten by that answer', async () => {
    await world.grant('all', [rule('configmaps')]);
    await world.untilRemembered(world.target('pods'));
    const asked = world.check(world.target('configmaps'));
    await remove('roleBindings', 'all');
    await vi.waitFor(() => expect(world.changes).toContain(world.key));
    await asked;
    await vi.waitFor(async () =>
      expect(await world.check(world.target('configmaps'))).toBe(world.denied('configmaps')),
    );
  });
});

describe('an executor that no work has', () => {
  it('is not watched for', async () => {
    await clock.settle();
    expect(world.watches.size).toBe(0);
  });

  it('any more is forgotten, and nothing is watched when there is none left', async () => {
    await world.untilRemembered(world.target('configmaps'));
    expect(world.watches.size).toBe(4);
    world.inUse.clear();
    await clock.advance(10 * 60_000);
    expect(world.watches.size).toBe(0);
    await world.grant('all', [rule('configmaps')]);
    await clock.advance(1000);
    expect(world.changes).toEqual([]);
    await world.untilRemembered(world.target('configmaps'));
  });
});
