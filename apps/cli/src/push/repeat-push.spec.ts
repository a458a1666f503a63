import { klusterlets } from '@flotilla/api-types';
import { memberObjectsOf } from '@flotilla/install';
import { clusterRoleBindings, configMaps, secrets } from '@flotilla/kube/kinds';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

let world: CliWorld<'hub' | 'member1'>;
const hub = () => world.planes.hub.client;
const member = () => world.planes.member1.client;
const join = (flags = '') =>
  world.flotilla(`join member1 --kubeconfig hub --cluster-kubeconfig member1 ${flags}`.trim().split(' '));

beforeEach(async () => {
  world = await startWorld('hub', 'member1');
  expect(await world.flotilla(['init', '--kubeconfig', 'hub'])).toMatchObject({ code: 0 });
});
afterEach(() => world[Symbol.asyncDispose]());

const infoKey = 'kube-public/cluster-info';
const accessKey = 'member1/member-access';
const stored = async (entry: string) => atob((await hub().resource(secrets).get(accessKey)).data?.[entry] ?? '');

/** Publishes another address of the hub. */
async function publish(server: string): Promise<void> {
  const { data } = await hub().resource(configMaps).get(infoKey);
  const kubeconfig = data?.kubeconfig?.replace(/server: .*/, `server: ${server}`) ?? '';
  await hub()
    .resource(configMaps)
    .patch(infoKey, { type: 'merge', body: { data: { kubeconfig } } });
}

/** Kind and name of the objects that joins made on the member. */
const objects = async () =>
  (await memberObjectsOf(member(), { clusterName: 'member1' })).map(
    ({ kind, metadata }) => `${kind} ${metadata?.name}`,
  );

/** The ClusterRoles that the hub has on the member, by the names of the bindings. */
const bindings = async () => {
  const { items } = await member().resource(clusterRoleBindings).list();
  return items.filter(({ metadata }) => metadata?.name?.startsWith('open-cluster-management:push-'));
};
const grants = async () => (await bindings()).map(({ roleRef }) => roleRef.name).sort();
const deleteBindings = async (part: string) => {
  for (const { metadata } of await bindings())
    if (metadata?.name?.includes(part)) await member().resource(clusterRoleBindings).delete(metadata.name);
};

describe('join --push after the address of the hub has changed', () => {
  const narrow = '--work-roles view --feature-gates ClusterProxy=true --cluster-region eu-1';
  const withoutHashes = (names: readonly string[]) => names.map((name) => name.replace(/-[0-9a-f]{8}(?=$|[-:])/, ''));

  it('keeps the grant and the claims, and leaves nothing under the earlier address', async () => {
    await join(narrow);
    const before = await objects();
    await publish('https://hub.example.com:6443');
    const { code, err } = await join();
    expect([code, err]).toEqual([0, expect.stringMatching(/ServiceAccount \S+\n {2}removed/)]);
    const after = await objects();
    expect(withoutHashes(after)).toEqual(withoutHashes(before));
    expect(after.filter((name) => before.includes(name))).toEqual([expect.stringMatching(/^ClusterClaim /)]);
    expect(
      await world.flotilla('unjoin member1 --kubeconfig hub --cluster-kubeconfig member1'.split(' ')),
    ).toMatchObject({ code: 0 });
    expect(await objects()).toEqual([]);
  });

  it('keeps the earlier grant until the new token is stored, and the retry does not widen it', async () => {
    await join(narrow);
    const before = await objects();
    await publish('https://hub.example.com:6443');
    const metadata = { name: 'klusterlet', finalizers: ['example.com/held'] };
    await member()
      .resource(klusterlets)
      .create({ metadata, spec: { clusterName: 'member1' } });
    expect((await join('--timeout 1')).code).not.toBe(0);
    expect(await stored('hub-server')).toBe('https://hub:6443');
    expect((await objects()).filter((name) => before.includes(name))).toEqual(before);
    await member()
      .resource(klusterlets)
      .patch('klusterlet', { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await join()).toMatchObject({ code: 0 });
    expect(await stored('hub-server')).toBe('https://hub.example.com:6443');
    expect(withoutHashes(await objects())).toEqual(withoutHashes(before));
    expect(await grants()).toContain('view');
  });
});

describe('join --push after a join that was interrupted, or of an earlier release', () => {
  it('grants works what the first join wanted, if that one stopped before it', async () => {
    await join();
    const wide = await grants();
    await deleteBindings('-work:');
    await hub().resource(secrets).delete(accessKey);
    expect(await join()).toMatchObject({ code: 0 });
    expect(await grants()).toEqual(wide);
  });

  it('stays narrow, if a narrow join stopped before the bindings of the base role', async () => {
    await join('--work-roles view');
    const narrow = await grants();
    const [base] = (await bindings()).filter(({ metadata }) => !metadata?.name?.includes(':work:'));
    await member()
      .resource(clusterRoleBindings)
      .delete(base?.metadata?.name ?? '');
    expect(await join()).toMatchObject({ code: 0 });
    expect(await grants()).toEqual(narrow);
  });

  it('removes the binding of a narrow grant that a later join had widened', async () => {
    await join();
    const wide = await grants();
    const [base] = (await bindings()).filter(({ metadata }) => !metadata?.name?.includes('-work:'));
    const { name, labels } = base?.metadata ?? {};
    await member()
      .resource(clusterRoleBindings)
      .create({
        metadata: { name: `${name}:work:view`, ...(labels && { labels }) },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: base?.subjects ?? [],
      });
    expect(await join()).toMatchObject({ code: 0 });
    expect(await grants()).toEqual(wide);
  });
});

describe('join --push', () => {
  it.each(['view,default', 'none,view'])('refuses --work-roles %s, before anything is changed', async (names) => {
    const { code, err } = await join(`--work-roles ${names}`);
    expect([code, err]).toEqual([2, expect.stringContaining('Give ')]);
    expect(await objects()).toEqual([]);
  });

  it('stores the CA of the kubeconfig on a hub that publishes none', async () => {
    await hub().resource(configMaps).delete(infoKey);
    await join();
    expect(await stored('hub-ca.crt')).toBe(world.planes.hub.ca);
    await hub()
      .resource(secrets)
      .patch(accessKey, { type: 'merge', body: { data: { 'hub-ca.crt': btoa(world.planes.member1.ca) } } });
    expect(await join()).toMatchObject({ code: 0 });
    expect(await stored('hub-ca.crt')).toBe(world.planes.hub.ca);
  });
});
