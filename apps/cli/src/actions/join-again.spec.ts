import { klusterlets, managedClusters } from '@flotilla/api-types';
import { realClock } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { createAuthority } from '@flotilla/kube/pki';
import { joinRecordKey } from '@flotilla/registration-core/agent';
import { formatHubKubeconfig } from '@flotilla/registration-core/kube-hub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { register } from '../fixtures/agents.ts';
import { type CliWorld, serverOf, startWorld } from '../fixtures/cli.ts';

const secretKey = 'open-cluster-management-agent/hub-kubeconfig-secret';

describe('flotilla join on a cluster that has joined before', () => {
  let world: CliWorld<'hub' | 'managed'>;
  let joinInfo: string[];
  const join = (...flags: string[]) =>
    world.flotilla(['join', '--kubeconfig', 'managed', '--cluster-name', 'cluster1', ...flags]);
  const hubClusters = () => world.planes.hub.client.resource(managedClusters);
  /** As the agent stores them. */
  const storeCredentials = async (record: object) => {
    const { certificate, key } = await createAuthority('of the agent', realClock);
    const kubeconfig = formatHubKubeconfig({ name: 'hub', server: serverOf('hub') }, { 'client-key': 'tls.key' });
    const values = { 'tls.crt': certificate, 'tls.key': key, kubeconfig, [joinRecordKey]: JSON.stringify(record) };
    const data = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, btoa(value)]));
    const [namespace, name] = secretKey.split('/');
    const handle = world.planes.managed.client.resource(secrets);
    await handle.delete(secretKey).catch(() => undefined);
    await handle.create({ metadata: { namespace, name: name ?? '' }, data });
  };
  const record = { name: 'cluster1', cluster: 'uid', bootstrap: 'b' };

  beforeAll(async () => {
    world = await startWorld('hub', 'managed');
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    const value = JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out);
    joinInfo = [
      ...['--hub-token', value['hub-token'], '--hub-apiserver', value['hub-apiserver']],
      ...['--hub-ca-hash', value['hub-ca-hashes'][0]],
    ];
    expect(await join(...joinInfo, '--singleton')).toMatchObject({ code: 0 });
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it('leaves the mode of the Klusterlet as it was chosen', async () => {
    expect(await join(...joinInfo)).toMatchObject({ code: 0 });
    const { spec } = await world.planes.managed.client.resource(klusterlets).get('klusterlet');
    expect(spec?.deployOption?.mode).toBe('Singleton');
  });

  it.each([
    { hub: 'named', flags: ['--hub-apiserver', serverOf('hub')] },
    { hub: 'as before', flags: [] },
  ])('needs a token where there are no credentials, with the hub $hub', async ({ flags }) => {
    const { code, err } = await join(...flags, '--run');
    expect([code, err]).toEqual([2, expect.stringContaining('token is missing')]);
    expect(err).not.toContain('no token is needed');
  });

  it('runs the agent again without a token, and says that it could', async () => {
    await storeCredentials(record);
    for (const flags of [[], ['--hub-apiserver', serverOf('hub')]]) {
      const { code, err } = await join(...flags, '--run', '--dry-run');
      expect([code, err]).toEqual([0, expect.stringContaining('its agent goes on with them')]);
      expect(err).not.toContain('has removed');
    }
    expect(await join('--hub-apiserver', serverOf('hub'))).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `no token is needed: \`flotilla join --cluster-name cluster1 --run --kubeconfig ${process.cwd()}/managed\``,
      ),
    });
    // Another hub is another matter.
    expect(await join('--hub-apiserver', 'https://elsewhere', '--run')).toMatchObject({ code: 2 });
  });

  it('does not ask for an acceptance that is there', async () => {
    await register(world.planes.hub.client, 'cluster1');
    await hubClusters().patch('cluster1', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
    const { code, out } = await join(...joinInfo);
    expect([code, out]).toEqual([0, expect.stringContaining('The hub has accepted cluster1 already.')]);
    expect(out).not.toContain('accept --clusters');
    await hubClusters().delete('cluster1');
  });

  it('lets the agent ask again when the hub has removed the cluster', async () => {
    await storeCredentials({ ...record, removed: true });
    expect(await join('--run', '--dry-run')).toMatchObject({
      err: expect.stringContaining('The hub has removed cluster1 since. To join again, run the command'),
    });
    const { code, out, err } = await join(...joinInfo);
    expect([code, out]).toEqual([0, expect.stringContaining('accept --clusters cluster1')]);
    expect(err).toContain('The hub does not have cluster1: the agent requests to join anew.');
    const { data } = await world.planes.managed.client.resource(secrets).get(secretKey);
    expect(Object.keys(data ?? {}).sort()).toEqual(['kubeconfig', 'tls.crt', 'tls.key']);
  });
});
