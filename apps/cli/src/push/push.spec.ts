import { managedClusters } from '@flotilla/api-types';
import { clusterRoleBindings, clusterRoles, leases, namespaces, secrets, serviceAccounts } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

let world: CliWorld<'hub' | 'member1' | 'member2'>;
const hub = () => world.planes.hub.client;
const member = () => world.planes.member1.client;
const join = (flags = '', name = 'member1') =>
  world.flotilla(`join ${name} --kubeconfig hub --cluster-kubeconfig ${name} ${flags}`.trim().split(' '));
const unjoin = (flags: string) => world.flotilla(`unjoin member1 --kubeconfig hub ${flags}`.trim().split(' '));

beforeEach(async () => {
  world = await startWorld('hub', 'member1', 'member2');
  expect(await world.flotilla(['init', '--kubeconfig', 'hub'])).toMatchObject({ code: 0 });
});
afterEach(() => world[Symbol.asyncDispose]());

const secretOf = async (name: string) => {
  const { data = {} } = (await hub().resource(secrets).find(`${name}/member-access`)) ?? {};
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
};

/** The ClusterRoles that the hub has on the member. */
const grants = async () =>
  (await member().resource(clusterRoleBindings).list()).items
    .filter(({ metadata }) => metadata?.name?.startsWith('open-cluster-management:push-'))
    .map(({ roleRef }) => roleRef.name)
    .sort();

describe('join --push', () => {
  it('accepts the cluster, marks it, and stores how the hub reaches it', async () => {
    const result = await join('--cluster-provider acme --cluster-region eu-1 --cluster-zones eu-1a,eu-1b');
    expect(result, result.err).toMatchObject({ code: 0, out: 'cluster(member1) is joined successfully\n' });
    const { metadata, spec } = await hub().resource(managedClusters).get('member1');
    expect(metadata?.labels).toMatchObject({
      'open-cluster-management.io/cluster-mode': 'Push',
      'cluster.open-cluster-management.io/provider': 'acme',
      'topology.kubernetes.io/region': 'eu-1',
      'topology.kubernetes.io/zone': 'eu-1a',
    });
    const kubeSystem = await member().resource(namespaces).get('kube-system');
    expect(metadata?.annotations?.['agent.open-cluster-management.io/cluster-identity']).toBe(kubeSystem.metadata?.uid);
    expect(spec).toMatchObject({
      hubAcceptsClient: true,
      managedClusterClientConfigs: [{ url: 'https://member1:6443' }],
    });
    const secret = await secretOf('member1');
    expect(secret).toMatchObject({ 'hub-server': 'https://hub:6443', 'ca.crt': world.planes.member1.ca });
    expect(secret.kubeconfig).toContain('server: https://member1:6443');
    expect(secret.kubeconfig).not.toContain(secret.token ?? '');
    expect(result.err + result.out).not.toContain(secret.token ?? 'none');
    expect(result.err).toContain('Narrow it with --work-roles');
  });

  it('says what is missing while no push agents run on the hub', async () => {
    const { code, err } = await join();
    expect([code, err]).toEqual([0, expect.stringContaining('No push agents run on the hub')]);
    expect(err).toContain('init --feature-gates PushAgents=true');
    const spec = {
      holderIdentity: 'a',
      leaseDurationSeconds: 60,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    };
    const labels = { 'open-cluster-management.io/push-agents': 'true' };
    const metadata = { name: 'push-agents-a', namespace: 'open-cluster-management-hub', labels };
    await hub().resource(leases).create({ metadata, spec });
    expect((await join()).err).not.toContain('No push agents');
  });

  it('prints all and changes nothing with --dry-run', async () => {
    const before = [await listAllObjects(hub()), await listAllObjects(member())];
    const { code, out, err } = await join('--dry-run');
    expect(code, err).toBe(0);
    for (const text of ['kind: ServiceAccount', 'kind: ManagedCluster', 'name: member-access'])
      expect(out).toContain(text);
    expect(out).not.toMatch(/token: [A-Za-z0-9]{20}/);
    expect([await listAllObjects(hub()), await listAllObjects(member())]).toEqual(before);
  });

  it('can be repeated, with another grant and another proxy', async () => {
    await join();
    const first = await secretOf('member1');
    const { code, err } = await join('--work-roles view --proxy-url http://proxy:3128 --proxy-header X-Team=fleet,web');
    expect(code, err).toBe(0);
    const second = await secretOf('member1');
    expect(second.kubeconfig).toContain('proxy-url: http://proxy:3128');
    expect(second['proxy-headers']).toBe('{"X-Team":"fleet,web"}');
    expect(second['service-account']).toBe(first['service-account']);
  });

  it('keeps the grant, the proxy and the namespace when it is repeated without their flags', async () => {
    const proxy = '--proxy-url http://proxy:3128 --proxy-header X-Team=fleet';
    await join(`--work-roles view --feature-gates ClusterProxy=true --cluster-namespace own ${proxy}`);
    const before = [await grants(), await secretOf('member1')];
    const { code, err } = await join();
    expect(code, err).toBe(0);
    const { token: _, ...after } = await secretOf('member1');
    expect([await grants(), { ...after, token: expect.anything() }]).toEqual(before);
    expect(err).not.toContain('RoleBinding');
  });

  it('asks before it changes the grant or the proxy, and removes the rights that were granted before', async () => {
    await join();
    const wide = await grants();
    const questions: string[] = [];
    const answering = (answer: string) => async (question: string) => {
      questions.push(question);
      return answer;
    };
    const narrow = 'join member1 --kubeconfig hub --cluster-kubeconfig member1 --work-roles view'.split(' ');
    expect(await world.flotilla(narrow, { ask: answering('n') })).toMatchObject({ code: 1 });
    expect([await grants(), questions]).toEqual([wide, ['Change it? [y/N] ']]);
    expect(await world.flotilla(narrow, { ask: answering('y') })).toMatchObject({ code: 0 });
    expect((await grants()).filter((role) => role === 'view' || role === 'admin')).toEqual(['view']);
    await join('--proxy-url http://proxy:3128');
    const direct = [...narrow.slice(0, -2), '--proxy-url', ''];
    const { err } = await world.flotilla(direct, { ask: answering('y') });
    expect(err).toContain('kubeconfig.proxy-url: http://proxy:3128 → removed');
    expect((await secretOf('member1')).kubeconfig).not.toContain('proxy-url');
    await join('--work-roles default');
    expect(await grants()).toEqual(wide);
  });

  it.each([
    ['headers without a proxy', '--proxy-header X-Team=fleet', 'no proxy is named'],
    ['a proxy of another kind', '--proxy-url ftp://u:secret@proxy', 'has the scheme ftp:// which is not supported'],
    ['headers for SOCKS', '--proxy-url socks5://proxy:1080 --proxy-header X-Team=fleet', 'this one is a SOCKS proxy'],
    ['a header without a value', '--proxy-header X-Team', 'Give a header as key=value.'],
  ])('refuses %s before anything is changed', async (_, flags, message) => {
    const { code, err } = await join(flags);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(err).not.toContain('secret');
    expect(await hub().resource(managedClusters).find('member1')).toBeUndefined();
  });

  it('grants works the roles that are named, and no executor', async () => {
    await join('--work-roles view,edit');
    const bindings = (await member().resource(clusterRoleBindings).list()).items
      .filter(({ metadata }) => metadata?.name?.startsWith('open-cluster-management:push-'))
      .map(({ roleRef }) => roleRef.name);
    expect(bindings).toEqual(expect.arrayContaining(['view', 'edit']));
    expect(bindings).not.toContain('admin');
    const rules = (await member().resource(clusterRoles).list()).items
      .filter(({ metadata }) => metadata?.name?.startsWith('open-cluster-management:push-'))
      .flatMap((role) => role.rules ?? []);
    expect(rules.flatMap(({ verbs }) => verbs)).not.toContain('impersonate');
    expect(rules.some(({ resources }) => resources?.includes('secrets'))).toBe(false);
  });

  it.each([
    ['the member is not named', 'join member1 --push --kubeconfig hub', 'the member is not named'],
    ['hub and member are one', 'join hub --kubeconfig hub --cluster-kubeconfig hub', 'the same cluster'],
    ['the name is not one', 'join Member_1 --kubeconfig hub --cluster-kubeconfig member1', 'cannot be the name'],
    [
      'a label is not one',
      'join member1 --kubeconfig hub --cluster-kubeconfig member1 --cluster-region a/b',
      'cannot be a label',
    ],
    [
      'there are two names',
      'join a --cluster-name b --kubeconfig hub --cluster-kubeconfig member1',
      'named a and, by --cluster-name, b',
    ],
    [
      'a token would be too short',
      'join member1 --cluster-kubeconfig member1 --member-token-expiration-seconds 60',
      'at least 600',
    ],
    [
      'the group has no user',
      'join member1 --kubeconfig hub --cluster-kubeconfig member1 --karmada-as-group g',
      '--karmada-as is missing',
    ],
  ])('is refused if %s', async (_, line, message) => {
    const { code, err } = await world.flotilla(line.split(' '));
    expect(code).not.toBe(0);
    expect(err).toContain(message);
  });

  it('is refused for a member that the hub has under another name', async () => {
    await join();
    const { code, err } = await world.flotilla('join again --kubeconfig hub --cluster-kubeconfig member1'.split(' '));
    expect([code, err]).toEqual([3, expect.stringContaining('the hub has this cluster already, as member1')]);
  });

  it('is refused under the name of another cluster', async () => {
    await join();
    const { code, err } = await world.flotilla(
      'join member1 --kubeconfig hub --cluster-kubeconfig member2 --cluster-context member2'.split(' '),
    );
    expect([code, err]).toEqual([3, expect.stringContaining('another cluster named member1')]);
  });
});

describe('unjoin of a pushed cluster', () => {
  it('removes what join made on both sides, and nothing else', async () => {
    const before = { hub: await listAllObjects(hub()), member: await listAllObjects(member()) };
    await join('--cluster-region eu-1');
    const { code, err } = await unjoin('--cluster-kubeconfig member1');
    expect(code, err).toBe(0);
    // APIServices follow the definitions a moment later.
    await expect.poll(() => listAllObjects(member()), { timeout: 20_000 }).toEqual(before.member);
    await expect.poll(() => listAllObjects(hub()), { timeout: 20_000 }).toEqual(before.hub);
  });

  it('says that there is nothing to remove if it is repeated', async () => {
    await join();
    expect((await unjoin('--cluster-kubeconfig member1')).code).toBe(0);
    expect(await unjoin('--cluster-kubeconfig member1')).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('member1 is not joined to this hub by push: nothing to remove.'),
    });
  });

  it('says what it would remove with --dry-run', async () => {
    await join();
    const before = [await listAllObjects(hub()), await listAllObjects(member())];
    const { out } = await unjoin('--cluster-kubeconfig member1 --dry-run');
    expect(out).toContain('Would remove ManagedCluster member1 from the hub');
    expect(out).toContain('Would remove ServiceAccount open-cluster-management-push/push-member1-');
    expect([await listAllObjects(hub()), await listAllObjects(member())]).toEqual(before);
  });

  it('names what stays if the member is not named', async () => {
    await join();
    const { code, err } = await unjoin('--push');
    expect(code).toBe(0);
    expect(err).toContain('what join made there stays: Namespace open-cluster-management-push');
    expect(
      (await member().resource(serviceAccounts).list({ namespace: 'open-cluster-management-push' })).items,
    ).not.toEqual([]);
  });

  it('is refused for a cluster with an agent', async () => {
    await hub()
      .resource(managedClusters)
      .create({ metadata: { name: 'member1' } });
    const { code, err } = await unjoin('--cluster-kubeconfig member1');
    expect([code, err]).toEqual([3, expect.stringContaining('flotilla unregister member1 --cluster-kubeconfig FILE')]);
  });
});
