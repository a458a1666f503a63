import { clusterClaims, klusterlets, managedClusters, NamespaceName } from '@flotilla/api-types';
import { clusterRoleBindings, configMaps, deployments, namespaces, roleBindings } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';

describe('flotilla register', () => {
  let world: CliWorld<'hub' | 'managed' | 'other'>;
  /** What the hub prints, as words without the program. */
  let command: string[];
  const printed = async (...flags: string[]) => {
    const { out } = await world.flotilla([
      'token',
      'create',
      '--print-register-command',
      '--kubeconfig',
      'hub',
      ...flags,
    ]);
    return out.trim().split(' ').slice(1);
  };
  const register = (...flags: string[]) => world.flotilla([...command, '--kubeconfig', 'managed', ...flags]);
  const without = (flag: string) => command.filter((_, at) => command[at] !== flag && command[at - 1] !== flag);

  beforeAll(async () => {
    world = await startWorld('hub', 'managed', 'other');
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    command = await printed();
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('checks both sides and changes nothing with --dry-run, for machines too', async () => {
    const { code, out, err } = await register('--cluster-name', 'member3', '--dry-run', '-o', 'json');
    expect([code, err.includes('passed')]).toEqual([0, true]);
    const { passed, checks } = JSON.parse(out);
    expect(passed).toBe(true);
    expect(checks.map(({ check }: { check: string }) => check)).toEqual([
      'cluster name',
      'feature gates',
      'registration',
      'registration of add-ons',
      'address of the hub',
      'token',
      'rights on this cluster',
      'this cluster',
      'residual objects',
      'kinds on this cluster',
      'certificate of the hub',
      'clock',
      'rights on the hub',
      'hub',
      'name on the hub',
      'identity on the hub',
    ]);
    expect(await world.planes.managed.client.resource(namespaces).find(NamespaceName.Agent)).toBeUndefined();
  });

  it('prepares the cluster for its agent, with where it is as claims', async () => {
    const { code, out } = await register('--cluster-name', 'member3', '--cluster-region', 'north');
    expect([code, out]).toEqual([0, expect.stringContaining('flotilla accept --clusters member3')]);
    const { client } = world.planes.managed;
    expect((await client.resource(klusterlets).get('klusterlet')).spec?.clusterName).toBe('member3');
    const claim = await client.resource(clusterClaims).get('region.open-cluster-management.io');
    expect(claim.spec?.value).toBe('north');
  });

  it('is undone by unregister, which leaves nothing behind and what others made alone', async () => {
    const { client } = world.planes.managed;
    await client.resource(namespaces).create({ metadata: { name: 'mine' } });
    const { code, out } = await world.flotilla([
      'unregister',
      'member3',
      '--cluster-kubeconfig',
      'managed',
      '--karmada-config',
      'hub',
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining('Removed Klusterlet klusterlet')]);
    const names = (await client.resource(namespaces).list()).items.map(({ metadata }) => metadata?.name);
    expect(names.sort()).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system', 'mine']);
    const bindings = [
      ...(await client.resource(clusterRoleBindings).list()).items,
      ...(await client.resource(roleBindings).list()).items,
    ].map(({ metadata }) => metadata?.name ?? '');
    expect(bindings.filter((name) => name.includes('open-cluster-management'))).toEqual([]);
  });

  it('registers the cluster that its token is for, and no other', async () => {
    const bound = await printed('--cluster-name', 'a', '--max-uses', '1');
    expect(bound.slice(-2)).toEqual(['--cluster-name', 'a']);
    const other = await world.flotilla([
      ...bound.slice(0, -1),
      'b',
      '--kubeconfig',
      'managed',
      '--dry-run',
      '-o',
      'json',
    ]);
    expect(other.code).toBe(3);
    const { passed, checks } = JSON.parse(other.out);
    expect([passed, checks.at(-1)]).toEqual([
      false,
      expect.objectContaining({ check: 'rights on the hub', status: 'failed' }),
    ]);
    expect(await world.flotilla([...bound, '--kubeconfig', 'managed', '--dry-run'])).toMatchObject({ code: 0 });
  });

  it('warns about a cluster that the hub has under another name', async () => {
    const { metadata } = await world.planes.managed.client.resource(namespaces).get('kube-system');
    const annotations = { 'agent.open-cluster-management.io/cluster-identity': metadata?.uid ?? '' };
    await world.planes.hub.client
      .resource(managedClusters)
      .create({ metadata: { name: 'before', annotations }, spec: {} });
    const { code, err } = await register('--cluster-name', 'member3', '--dry-run');
    expect([code, err]).toEqual([0, expect.stringContaining('the hub has this cluster as before already')]);
    await world.planes.hub.client.resource(managedClusters).delete('before');
  });

  it('refuses the remains of another agent', async () => {
    const { client } = world.planes.other;
    await client.resource(namespaces).create({ metadata: { name: NamespaceName.Agent } });
    const labels = { app: 'x' };
    await client.resource(deployments).create({
      metadata: { namespace: NamespaceName.Agent, name: 'klusterlet-registration-agent' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    });
    const { code, err } = await world.flotilla([...command, '--kubeconfig', 'other', '--cluster-name', 'x']);
    expect([code, err]).toEqual([3, expect.stringContaining('an earlier agent left Deployment')]);
  });

  it('refuses a hub whose cluster-info was changed, and does not wait for ever for a signature', async () => {
    const infos = world.planes.hub.client.resource(configMaps);
    const key = 'kube-public/cluster-info';
    const { data = {} } = await infos.get(key);
    const [signature = ''] = Object.keys(data).filter((name) => name.startsWith('jws-kubeconfig-'));
    expect(signature).not.toBe('');
    const forged = [...without('--token'), '--token', 'zzzzzz.0123456789abcdef', '--discovery-timeout', '1s'];
    const { code, err } = await world.flotilla([...forged, '--kubeconfig', 'managed', '--cluster-name', 'x']);
    expect([code, err]).toEqual([4, expect.stringContaining('has no key jws-kubeconfig-zzzzzz yet')]);
  });

  const refusals: Record<string, [() => string[], string]> = {
    'no token': [() => without('--token'), '--token is missing'],
    'a token of an account': [
      () => [...without('--token'), '--token', 'eyJ.abc.def'],
      '--token is not a bootstrap token',
    ],
    'no hash': [() => without('--discovery-token-ca-cert-hash'), '--discovery-token-ca-cert-hash is missing'],
    'a hash that is none': [
      () => [...without('--discovery-token-ca-cert-hash'), '--discovery-token-ca-cert-hash', 'sha256:1'],
      '--discovery-token-ca-cert-hash sha256:1 is not a hash of a CA',
    ],
    'an address with a scheme': [
      () => command.map((word) => (word === 'hub:6443' ? 'https://hub:6443' : word)),
      'is not host:port',
    ],
    'both a hash and none': [() => [...command, '--discovery-token-unsafe-skip-ca-verification'], 'exclude each other'],
  };
  it.each(Object.entries(refusals))('refuses %s', async (_, [words, message]) => {
    const { code, err } = await world.flotilla([...words(), '--kubeconfig', 'managed', '--cluster-name', 'x']);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('trusts the signature alone if it is told to', async () => {
    const flags = ['--discovery-token-unsafe-skip-ca-verification', '--kubeconfig', 'managed', '--cluster-name', 'x'];
    const words = without('--discovery-token-ca-cert-hash');
    expect(await world.flotilla([...words, ...flags, '--dry-run'])).toMatchObject({ code: 0 });
  });
});
