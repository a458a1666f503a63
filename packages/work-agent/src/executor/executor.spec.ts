import type { KubeObject, ManifestWorkExecutor } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import {
  clusterRoleBindings,
  clusterRoles,
  createInformers,
  createKubeClient,
  KubeError,
  namespaces,
  type Role,
  type RoleBinding,
  roleBindings,
  roles,
  type Transport,
} from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createExecutor, type Executor, type ExecutorRequest } from './executor.ts';

const clock = new FakeClock();
let plane: ControlPlane;
let world: World;

beforeAll(async () => {
  plane = await startControlPlane({ listen: false, clock });
});
afterAll(() => plane.stop());

type Rules = NonNullable<Role['rules']>;
type BoundTo = NonNullable<RoleBinding['subjects']>[number];

interface World {
  readonly executor: Executor;
  /** Access reviews since the last call. */
  takeReviews(): string[];
  readonly changes: string[];
  /** Paths whose requests fail. */
  readonly refused: Set<string>;
  /** Rules of a role of its own, bound to the executor in the namespace. */
  grant(name: string, rules: Rules, subject?: BoundTo): Promise<void>;
  close(): void;
}

let namespace = '';
let count = 0;
let used: string[] = [];

const verbs = ['create', 'update', 'patch', 'get', 'delete'];
const rule = (resource: string, allowed = verbs, group = '') => ({
  apiGroups: [group],
  resources: [resource],
  verbs: allowed,
});
const rbac = 'rbac.authorization.k8s.io';

const account = (): ManifestWorkExecutor => ({
  subject: { type: 'ServiceAccount', serviceAccount: { namespace, name: 'executor' } },
});
const serviceAccount = () => ({ kind: 'ServiceAccount', namespace, name: 'executor' });

const target = (resource: string, name = 'a', rest: Partial<ExecutorRequest> = {}): ExecutorRequest => ({
  group: '',
  version: 'v1',
  resource,
  namespace,
  name,
  owned: true,
  manifest: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } },
  ...rest,
});

function spied(inner: Transport, reviews: string[], refused: ReadonlySet<string>): Transport {
  const look = (path: string, body: unknown): void => {
    if ([...refused].some((each) => path.includes(each))) throw new KubeError('Forbidden', `${path} is not for you`);
    if (!path.includes('subjectaccessreviews')) return;
    const { spec } = JSON.parse(String(body));
    reviews.push(`${spec.resourceAttributes.verb} ${spec.resourceAttributes.resource}`);
  };
  return {
    request: (request) => {
      look(request.path, request.body);
      return inner.request(request);
    },
    stream: (request) => {
      look(request.path, undefined);
      return inner.stream(request);
    },
    moved: inner.moved,
    close: async () => {},
  };
}

function createWorld(): World {
  const reviews: string[] = [];
  const refused = new Set<string>();
  const client = createKubeClient({ transport: spied(plane.client.transport, reviews, refused), clock });
  const informers = createInformers({ client, clock });
  const executor = createExecutor({ client, informers, clock, inUse: () => used });
  const changes: string[] = [];
  executor.changes$.subscribe((key) => changes.push(key));
  return {
    executor,
    changes,
    refused,
    takeReviews: () => reviews.splice(0),
    async grant(name, rules, subject = serviceAccount()) {
      await plane.client.resource(roles).create({ metadata: { name, namespace }, rules });
      await plane.client.resource(roleBindings).create({
        metadata: { name, namespace },
        roleRef: { apiGroup: rbac, kind: 'Role', name },
        subjects: [subject],
      });
    },
    close() {
      executor.close();
      informers.close();
    },
  };
}

beforeEach(async () => {
  count += 1;
  namespace = `ns${count}`;
  used = [`${namespace}/executor`];
  await plane.client.resource(namespaces).create({ metadata: { name: namespace } });
  world = createWorld();
});
afterEach(() => world.close());

const check = (request: ExecutorRequest) => world.executor.check(account(), request);

/** Checks until the watches run, so that from then on decisions are remembered. */
async function untilRemembered(request: ExecutorRequest): Promise<void> {
  await vi.waitFor(async () => {
    await check(request);
    world.takeReviews();
    await check(request);
    expect(world.takeReviews()).toEqual([]);
  });
  world.changes.length = 0;
}

const denied = (resource: string, name = 'a', group = '') =>
  `not allowed to apply the resource ${group} ${resource}, ${namespace} ${name}, will try again in 1m0s`;

describe('an executor', () => {
  it('[work 18.L-158] that is no service account is refused as OCM does', async () => {
    const other: unknown = { subject: { type: 'User' } };
    await expect(world.executor.check(other as ManifestWorkExecutor, target('configmaps'))).rejects.toThrow(
      'only support ServiceAccount type for the executor',
    );
    await expect(world.executor.check({ subject: { type: 'ServiceAccount' } }, target('configmaps'))).rejects.toThrow(
      'the executor service account is nil',
    );
  });

  it('[work 18.L-159] [work 18.L-161] without rights is told what it may not apply, after one question', async () => {
    expect(await check(target('secrets', 'test'))).toBe(
      `not allowed to apply the resource  secrets, ${namespace} test, will try again in 1m0s`,
    );
    expect(world.takeReviews()).toEqual(['create secrets']);
  });

  it('[work 18.L-162] [work 18.L-163] may apply what its roles allow, by name if they say so', async () => {
    await world.grant('one', [{ ...rule('configmaps'), resourceNames: ['cm1'] }]);
    expect(await check(target('configmaps', 'cm1'))).toBeUndefined();
    expect(world.takeReviews()).toEqual(verbs.map((verb) => `${verb} configmaps`));
    expect(await check(target('configmaps', 'cm2'))).toBe(denied('configmaps', 'cm2'));
    await world.grant('all', [rule('configmaps')]);
    expect(await check(target('configmaps', 'cm3'))).toBeUndefined();
  });

  it('[work 18.L-164] needs the right to delete only for what goes with the work', async () => {
    await world.grant('kept', [rule('configmaps', ['create', 'update', 'patch', 'get'])]);
    expect(await check(target('configmaps', 'cm1', { owned: false }))).toBeUndefined();
    expect(await check(target('configmaps', 'cm1'))).toBe(denied('configmaps', 'cm1'));
  });

  it('fails when the server cannot be asked, and is asked again', async () => {
    world.refused.add('subjectaccessreviews');
    await expect(check(target('configmaps'))).rejects.toThrow('is not for you');
    world.refused.clear();
    expect(await check(target('configmaps'))).toBe(denied('configmaps'));
  });
});

describe('[work 18.L-160] [work 18.L-165] [work 18.L-166] giving away rights', () => {
  const role = (name: string): KubeObject & { rules: unknown } => ({
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name, namespace },
    rules: [rule('secrets')],
  });
  const request = (name = 'given') => target('roles', name, { group: rbac, manifest: role(name) });
  const escalation = (name = 'given') =>
    `not allowed to apply the resource ${rbac} roles, ${namespace} ${name}, error: permission escalation, will try again in 1m0s`;

  it('is refused to those who do not have them, also where the role exists', async () => {
    await world.grant('roles', [rule('roles', verbs, rbac)]);
    expect(await check(request())).toBe(escalation());
    expect(await plane.client.resource(roles).find(`${namespace}/given`)).toBeUndefined();
    expect(await check(request('roles'))).toBe(escalation('roles'));
  });

  it('is allowed to those who have them or may escalate, also where the role exists', async () => {
    await world.grant('escalate', [rule('roles', [...verbs, 'escalate'], rbac)]);
    expect(await check(request())).toBeUndefined();
    expect(await check(request('escalate'))).toBeUndefined();
    expect(await plane.client.resource(roles).find(`${namespace}/given`)).toBeUndefined();
  });

  it('is looked at each time, whatever is remembered', async () => {
    await world.grant('roles', [rule('roles', [...verbs, 'escalate'], rbac)]);
    await untilRemembered(request());
    world.refused.add('/roles?');
    await expect(check(request())).resolves.toBe(escalation());
  });
});

describe('decisions', () => {
  it('[work 18.L-167] are asked for once: five questions for what is allowed and one for what is not', async () => {
    await world.grant('all', [rule('configmaps')]);
    await untilRemembered(target('pods'));
    for (let round = 0; round < 10; round += 1) {
      expect(await check(target('configmaps'))).toBeUndefined();
      expect(await check(target('secrets'))).toBe(denied('secrets'));
    }
    expect(world.takeReviews()).toEqual([...verbs.map((verb) => `${verb} configmaps`), 'create secrets']);
  });

  it('are asked for once by all who want to know at the same time', async () => {
    await world.grant('all', [rule('configmaps')]);
    await untilRemembered(target('pods'));
    await Promise.all(Array.from({ length: 10 }, () => check(target('configmaps'))));
    expect(world.takeReviews()).toHaveLength(5);
  });

  it('are not remembered where roles may not be watched', async () => {
    world.refused.add('clusterrolebindings');
    await check(target('configmaps'));
    await clock.settle();
    await check(target('configmaps'));
    expect(world.takeReviews()).toHaveLength(2);
  });

  it('are asked for again after a while, refusals before the manifest is tried again', async () => {
    await world.grant('all', [rule('configmaps')]);
    await untilRemembered(target('configmaps'));
    await check(target('secrets'));
    world.takeReviews();
    await clock.advance(31_000);
    await check(target('configmaps'));
    await check(target('secrets'));
    expect(world.takeReviews()).toEqual(['create secrets']);
    await clock.advance(9.6 * 60_000);
    await check(target('configmaps'));
    expect(world.takeReviews()).toHaveLength(5);
  });
});

describe('a change of rights', () => {
  const key = () => `${namespace}/executor`;
  const remove = async (kind: 'roles' | 'roleBindings' | 'clusterRoles' | 'clusterRoleBindings', name: string) => {
    const kinds = { roles, roleBindings, clusterRoles, clusterRoleBindings };
    await plane.client
      .resource<KubeObject>(kinds[kind])
      .delete(kind.startsWith('cluster') ? name : `${namespace}/${name}`);
  };

  it('[work 18.L-169] that gives or takes them wakes the works, and is seen at the next check', async () => {
    await untilRemembered(target('configmaps'));
    await world.grant('all', [rule('configmaps')]);
    await vi.waitFor(() => expect(world.changes).toContain(key()));
    await vi.waitFor(async () => expect(await check(target('configmaps'))).toBeUndefined());
    await clock.advance(1000);
    await untilRemembered(target('configmaps'));

    await remove('roleBindings', 'all');
    await vi.waitFor(() => expect(world.changes).toContain(key()));
    await vi.waitFor(async () => expect(await check(target('configmaps'))).toBe(denied('configmaps')));
  });

  it('wakes the works once more a moment later, when the server has surely seen it', async () => {
    await untilRemembered(target('configmaps'));
    await world.grant('all', [rule('configmaps')]);
    await vi.waitFor(() => expect(world.changes).toContain(key()));
    const before = world.changes.length;
    await clock.advance(500);
    expect(world.changes).toHaveLength(before + 1);
    await clock.advance(5000);
    expect(world.changes).toHaveLength(before + 1);
  });

  it('[work 18.L-168] in a role of any kind, or in a binding of any kind, is one', async () => {
    const name = `all-${namespace}`;
    const { client } = plane;
    await client.resource(clusterRoles).create({ metadata: { name }, rules: [rule('configmaps')] });
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
    const subjects = [serviceAccount()];
    await client.resource(clusterRoleBindings).create({ metadata: { name }, roleRef, subjects });
    await client.resource(roleBindings).create({ metadata: { name: 'by-cluster-role', namespace }, roleRef, subjects });
    await world.grant('role', [rule('pods')]);

    for (const [kind, each] of [
      ['roles', 'role'],
      ['roleBindings', 'role'],
      ['clusterRoleBindings', name],
      ['clusterRoles', name],
      ['roleBindings', 'by-cluster-role'],
    ] as const) {
      await untilRemembered(target('configmaps'));
      await remove(kind, each);
      await vi.waitFor(() => expect(world.changes, `${kind} ${each}`).toContain(key()));
      await clock.advance(1000);
    }
  });

  it.each([
    ['the user', () => ({ kind: 'User', apiGroup: rbac, name: `system:serviceaccount:${namespace}:executor` })],
    ['its group', () => ({ kind: 'Group', apiGroup: rbac, name: `system:serviceaccounts:${namespace}` })],
    ['everyone', () => ({ kind: 'Group', apiGroup: rbac, name: 'system:authenticated' })],
  ])('that names %s is one', async (_, subject) => {
    await untilRemembered(target('configmaps'));
    await world.grant('all', [rule('configmaps')], subject());
    await vi.waitFor(() => expect(world.changes).toContain(key()));
  });

  it('of others is none', async () => {
    await untilRemembered(target('configmaps'));
    await world.grant('other', [rule('configmaps')], { kind: 'ServiceAccount', namespace, name: 'other' });
    await world.grant('own', [rule('pods')]);
    await vi.waitFor(() => expect(world.changes).toContain(key()));
    expect(world.changes).toEqual([key()]);
  });

  it('between a question and its answer is not overwritten by that answer', async () => {
    await world.grant('all', [rule('configmaps')]);
    await untilRemembered(target('pods'));
    const asked = check(target('configmaps'));
    await remove('roleBindings', 'all');
    await vi.waitFor(() => expect(world.changes).toContain(key()));
    await asked;
    await vi.waitFor(async () => expect(await check(target('configmaps'))).toBe(denied('configmaps')));
  });
});

describe('an executor that no work has any more', () => {
  it('is forgotten, and nothing is watched when there is none left', async () => {
    await untilRemembered(target('configmaps'));
    used = [];
    await clock.advance(10 * 60_000);
    await world.grant('all', [rule('configmaps')]);
    await clock.advance(1000);
    expect(world.changes).toEqual([]);
    await untilRemembered(target('configmaps'));
  });
});
