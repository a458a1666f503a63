import { managedClusterSets, managedClusters } from '@flotilla/api-types';
import { isSignedBy, parseBootstrapToken } from '@flotilla/kube/bootstrap-token';
import { clusterRoleBindings, clusterRoles, configMaps, secrets, tokenReviews } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, serverOf, startWorld } from '../fixtures/cli.ts';

describe('flotilla token', () => {
  let world: CliWorld<'hub' | 'plain'>;
  const token = (...argv: string[]) => world.flotilla(['token', ...argv, '--kubeconfig', 'hub']);
  const client = () => world.planes.hub.client;
  const create = async (...argv: string[]) => {
    const { code, out, err } = await token('create', ...argv);
    expect([code, err]).toEqual([0, err]);
    return parseBootstrapToken(out.trim()) ?? expect.fail(`${out} is not a token`);
  };
  const secretOf = (id: string) => client().resource(secrets).find(`kube-system/bootstrap-token-${id}`);
  const userOf = async (text: string) =>
    (
      await client()
        .resource(tokenReviews)
        .create({ spec: { token: text } })
    ).status?.user;

  beforeAll(async () => {
    world = await startWorld('hub', 'plain');
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    await client()
      .resource(managedClusterSets)
      .create({ metadata: { name: 'edge' }, spec: {} });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('creates a token for a day that signs cluster-info and may request to join', async () => {
    const { id, secret } = await create('--description', 'for a friend');
    const stored = await secretOf(id);
    const text = (key: string) => Buffer.from(stored?.data?.[key] ?? '', 'base64').toString();
    expect(stored?.type).toBe('bootstrap.kubernetes.io/token');
    expect(text('auth-extra-groups')).toBe('system:bootstrappers:managedcluster');
    expect(text('description')).toBe('for a friend');
    const hours = (Date.parse(text('expiration')) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    const { data } = await client().resource(configMaps).get('kube-public/cluster-info');
    expect(isSignedBy(data?.kubeconfig ?? '', data?.[`jws-kubeconfig-${id}`] ?? '', { id, secret })).toBe(true);
  });

  it('may request to join also where nobody made the rights of bootstrap tokens', async () => {
    const name = 'open-cluster-management:bootstrap:managedcluster';
    await client().resource(clusterRoleBindings).delete(name);
    await create();
    const { subjects } = await client().resource(clusterRoleBindings).get(name);
    expect(subjects?.map((subject) => subject.name)).toEqual(['system:bootstrappers:managedcluster']);
  });

  it('takes the token that it is given, once', async () => {
    expect((await token('create', 'given1.0123456789abcdef')).out).toBe('given1.0123456789abcdef\n');
    expect(await token('create', 'given1.0123456789abcdef')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is a token with the id given1 already'),
    });
  });

  it('warns about one that never ends', async () => {
    const { out, err } = await token('create', '--ttl', '0');
    expect(err).toContain('this token never ends');
    expect((await secretOf(out.slice(0, 6)))?.data).not.toHaveProperty('expiration');
  });

  it('gives a token for one cluster the rights for that cluster, and no more', async () => {
    const { id, secret } = await create('--cluster-name', 'a', '--cluster-set', 'edge', '--max-uses', '1');
    const user = await userOf(`${id}.${secret}`);
    expect(user?.groups).toEqual(
      expect.arrayContaining([
        'system:bootstrappers:managedcluster:a',
        'system:bootstrappers:managedcluster-restricted',
      ]),
    );
    const holder = world.planes.hub
      .clientOf({ name: user?.username ?? '', groups: user?.groups ?? [] })
      .resource(managedClusters);
    await expect(holder.create({ metadata: { name: 'b' }, spec: {} })).rejects.toMatchObject({
      message: expect.stringContaining('holds a join token for another cluster'),
    });
    await holder.create({ metadata: { name: 'a' }, spec: {} });
    expect((await holder.get('a')).metadata?.name).toBe('a');
    await expect(holder.list()).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(holder.find('b')).rejects.toMatchObject({ code: 'Forbidden' });
    const sets = await client().resource(clusterRoles).get(`open-cluster-management:join-token:${id}`);
    expect(sets.rules?.find(({ resources }) => resources?.includes('managedclustersets/join'))?.resourceNames).toEqual([
      'default',
      'edge',
    ]);
    await client().resource(managedClusters).delete('a');
  });

  it('lists tokens with what they are for, and never with their secrets', async () => {
    const { id, secret } = await create('--cluster-name', 'listed', '--max-uses', '3', '--ttl', '1h');
    const [text, json] = [await token('list'), await token('list', '-o', 'json')];
    const line = text.out.split('\n').find((each) => each.startsWith(id));
    expect(line?.split(/ {3,}/).slice(0, 7)).toEqual([
      id,
      '59m',
      expect.stringMatching(/Z$/),
      'signing,authentication',
      'listed',
      '<none>',
      '0/3',
    ]);
    const all = await client().resource(secrets).list({ namespace: 'kube-system' });
    const hidden = all.items.flatMap(({ data }) => data?.['token-secret'] ?? []);
    expect(hidden.length).toBeGreaterThan(3);
    for (const each of hidden) {
      expect(`${text.out}${json.out}`).not.toContain(Buffer.from(each, 'base64').toString());
    }
    expect(JSON.parse(json.out).find((each: { id: string }) => each.id === id)).toMatchObject({
      clusterName: 'listed',
      maxUses: 3,
      uses: 0,
    });
    expect(secret).toHaveLength(16);
  });

  it('deletes tokens by id or as a whole, with all that belongs to them', async () => {
    const [whole, byId] = [await create('--cluster-name', 'gone'), await create()];
    const { code, out } = await token('delete', `${whole.id}.${whole.secret}`, byId.id);
    expect([code, out]).toEqual([0, `bootstrap token "${whole.id}" deleted\nbootstrap token "${byId.id}" deleted\n`]);
    const role = `open-cluster-management:join-token:${whole.id}`;
    expect(await client().resource(clusterRoles).find(role)).toBeUndefined();
    expect(await client().resource(clusterRoleBindings).find(role)).toBeUndefined();
    expect([await secretOf(whole.id), await secretOf(byId.id)]).toEqual([undefined, undefined]);
    const { data } = await client().resource(configMaps).get('kube-public/cluster-info');
    expect(Object.keys(data ?? {})).not.toContain(`jws-kubeconfig-${byId.id}`);
    expect(await token('delete', byId.id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no token'),
    });
  });

  it('prints the commands that join with it', async () => {
    const { out } = await token('create', '--print-register-command', '--print-join-command', '--cluster-name', 'a');
    const [register = '', join = ''] = out.split('\n');
    expect(register).toMatch(
      /^flotilla register hub:6443 --token \w{6}\.\w{16} --discovery-token-ca-cert-hash sha256:[0-9a-f]{64} --cluster-name a$/,
    );
    expect(join).toMatch(
      /^flotilla join --hub-token \w{6}\.\w{16} --hub-apiserver https:\/\/hub:6443 --hub-ca-hash sha256:[0-9a-f]{64} --cluster-name a$/,
    );
    expect(register).not.toContain(serverOf('hub'));
  });

  it.each<[string, string[], string]>([
    ['a token of another form', ['ABC'], 'TOKEN is not a bootstrap token'],
    ['a time that is none', ['--ttl', 'soon'], '"soon" is not a duration'],
    ['a time that is over at once', ['--ttl', '1ms'], '--ttl 1ms is too short'],
    ['an unknown usage', ['--usages', 'cooking'], '--usages cooking is not known'],
    ['a group that no token can have', ['--groups', 'system:masters'], '--groups system:masters cannot be a group'],
    [
      'the group of all in a token for one',
      ['--cluster-name', 'a', '--groups', 'system:bootstrappers:managedcluster'],
      'rights of a token for any cluster',
    ],
    ['a name that is none', ['--cluster-name', 'A.b'], '"A.b" cannot be the name of a cluster'],
    ['a set without a cluster', ['--cluster-set', 'edge'], '--cluster-set without --cluster-name'],
    ['no use', ['--max-uses', '0'], '--max-uses 0 is a token that cannot be used'],
  ])('refuses %s', async (_, flags, message) => {
    expect(await token('create', ...flags)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  it('refuses a set that does not exist, and a cluster that is not a hub', async () => {
    expect(await token('create', '--cluster-name', 'a', '--cluster-set', 'nowhere')).toMatchObject({
      code: 3,
      err: expect.stringContaining('there is no ManagedClusterSet nowhere'),
    });
    const { code, err } = await world.flotilla(['token', 'create', '--kubeconfig', 'plain']);
    expect([code, err]).toEqual([3, expect.stringContaining('is not a hub')]);
  });

  it('is removed by clean', async () => {
    await client().resource(managedClusters).deleteCollection({});
    const { code, err } = await world.flotilla(['clean', '--kubeconfig', 'hub']);
    expect([code, err]).toEqual([0, err]);
    const { items } = await client().resource(secrets).list({ namespace: 'kube-system' });
    expect(items.filter(({ metadata }) => metadata?.name?.startsWith('bootstrap-token-'))).toEqual([]);
    const roles = (await client().resource(clusterRoles).list()).items.map(({ metadata }) => metadata?.name);
    expect(roles.filter((name) => name?.includes('join-token'))).toEqual([]);
  });
});
