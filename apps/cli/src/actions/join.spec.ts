import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { klusterlets, NamespaceName, SecretName } from '@flotilla/api-types';
import {
  clusterRoleBindings,
  configMaps,
  createToken,
  namespaces,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { clusterIdentityAnnotation } from '@flotilla/registration-core/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { register } from '../fixtures/agents.ts';
import { type CliWorld, flotilla, serverOf, startWorld } from '../fixtures/cli.ts';

describe('flotilla join', () => {
  let world: CliWorld<'hub' | 'managed' | 'plain'>;
  let directory: string;
  /** The flags of the command that the hub prints, without `--cluster-name`. */
  let joinInfo: string[];
  let token: string;
  const join_ = (...flags: string[]) => world.flotilla(['join', '--kubeconfig', 'managed', ...flags]);
  const asCluster1 = (...flags: string[]) => join_(...joinInfo, '--cluster-name', 'cluster1', ...flags);

  const bootstrapKubeconfig = async () => {
    const key = `${NamespaceName.Agent}/${SecretName.BootstrapHubKubeconfig}`;
    const { data } = await world.planes.managed.client.resource(secrets).get(key);
    return Buffer.from(data?.kubeconfig ?? '', 'base64').toString();
  };

  beforeAll(async () => {
    world = await startWorld('hub', 'managed', 'plain');
    directory = await mkdtemp(join(tmpdir(), 'flotilla-join-'));
    await world.flotilla(['init', '--kubeconfig', 'hub']);
    const value = JSON.parse((await world.flotilla(['get', 'token', '--kubeconfig', 'hub', '-o', 'json'])).out);
    token = value['hub-token'];
    joinInfo = [
      ...['--hub-token', token, '--hub-apiserver', value['hub-apiserver']],
      ...['--hub-ca-hash', value['hub-ca-hashes'][0]],
    ];
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  it('shows what it would apply without the token, and changes nothing', async () => {
    const file = join(directory, 'agent.yaml');
    const { code, out } = await asCluster1('--dry-run', '--output-file', file);
    expect([code, out.includes('kind: Klusterlet'), out.includes(token)]).toEqual([0, true, false]);
    expect(await readFile(file, 'utf8')).toBe(out);
    expect(await world.planes.managed.client.resource(namespaces).find(NamespaceName.Agent)).toBeUndefined();
  });

  it('joins a cluster, also again, and names each check that it made', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { code, out, err } = await asCluster1('--singleton', '--klusterlet-annotation', 'foo=bar');
      expect([code, err]).toEqual([0, expect.stringContaining('Preflight check: certificate of the hub passed')]);
      // Nothing asks the hub before an agent runs.
      expect(out).toMatch(/^Start the agent of cluster1.*\n\n {4}flotilla join … --cluster-name cluster1 --run\n/);
      expect(out).toContain('flotilla accept --clusters cluster1');
    }
    expect(await bootstrapKubeconfig()).toContain(`server: ${serverOf('hub')}`);
    const { spec } = await world.planes.managed.client.resource(klusterlets).get('klusterlet');
    expect(spec).toMatchObject({
      clusterName: 'cluster1',
      deployOption: { mode: 'Singleton' },
      registrationConfiguration: { clusterAnnotations: { 'agent.open-cluster-management.io/foo': 'bar' } },
    });
  });

  it('lists the features that are on, as OCM does [cli A05]', async () => {
    await asCluster1('--feature-gates', 'MultipleHubs=true,ClusterClaim=false');
    const { spec } = await world.planes.managed.client.resource(klusterlets).get('klusterlet');
    const gates = spec?.registrationConfiguration?.featureGates?.map(({ feature, mode }) => `${feature}=${mode}`);
    expect(gates?.toSorted()).toEqual(['AddonManagement=Enable', 'ClusterClaim=Disable', 'MultipleHubs=Enable']);
  });

  it('gives the agent the address that the hub itself names, if that is asked for [cli A29]', async () => {
    const key = 'kube-public/cluster-info';
    const info = await world.planes.hub.client.resource(configMaps).get(key);
    const kubeconfig = info.data?.kubeconfig?.replace(serverOf('hub'), 'https://inside:443') ?? '';
    const body = { data: { kubeconfig } };
    await world.planes.hub.client.resource(configMaps).patch(key, { type: 'merge', body });
    const { code, err } = await asCluster1('--force-internal-endpoint-lookup', '-o', 'json');
    expect([code, err]).toEqual([0, expect.stringContaining('internal address of the hub passed')]);
    expect(await bootstrapKubeconfig()).toContain('server: https://inside:443');
    const plain = { data: { kubeconfig: kubeconfig.replace('https://inside:443', 'http://inside:80') } };
    await world.planes.hub.client.resource(configMaps).patch(key, { type: 'merge', body: plain });
    expect(await asCluster1('--force-internal-endpoint-lookup')).toMatchObject({
      code: 3,
      err: expect.stringContaining('the address http://inside:80 in kube-public/cluster-info'),
    });
    await world.planes.hub.client.resource(configMaps).patch(key, { type: 'merge', body });
  });

  it('reports to the hub the address that this cluster publishes, if it publishes one', async () => {
    const spec = async () => (await world.planes.managed.client.resource(klusterlets).get('klusterlet')).spec;
    expect(await spec()).not.toHaveProperty('externalServerURLs');
    const kubeconfig = 'clusters: [{name: "", cluster: {server: "https://me:6443", certificate-authority-data: YQ==}}]';
    await world.planes.managed.client
      .resource(configMaps)
      .create({ metadata: { name: 'cluster-info', namespace: 'kube-public' }, data: { kubeconfig } });
    await asCluster1();
    expect((await spec())?.externalServerURLs).toEqual([{ url: 'https://me:6443', caBundle: 'YQ==' }]);
  });

  it('takes the CA from a file, and the token from standard input', async () => {
    const file = join(directory, 'hub.pem');
    await writeFile(file, world.planes.hub.ca);
    const flags = ['--hub-apiserver', serverOf('hub'), '--ca-file', file, '--cluster-name', 'cluster1'];
    const { code } = await world.flotilla(['join', '--kubeconfig', 'managed', '--hub-token-file', '-', ...flags], {
      stdin: `${token}\n`,
    });
    expect(code).toBe(0);
  });

  it('checks a CA that it is given by the hash that it is given, and puts that of a proxy on lines of its own', async () => {
    const [theirs, ours] = [join(directory, 'theirs.pem'), join(directory, 'ours.pem')];
    await writeFile(theirs, world.planes.managed.ca);
    await writeFile(ours, world.planes.hub.ca.trimEnd());
    expect(await asCluster1('--ca-file', theirs)).toMatchObject({
      code: 3,
      err: expect.stringContaining('is not the one that the join command names'),
    });
    const proxy = ['--proxy-url', 'https://proxy:3128', '--proxy-ca-file', theirs];
    const { code } = await world.flotilla([
      ...['join', '--kubeconfig', 'managed', '--hub-token', token, '--hub-apiserver', serverOf('hub')],
      ...['--ca-file', ours, '--cluster-name', 'cluster1', ...proxy],
    ]);
    expect(code).toBe(0);
    const [, ca = ''] = /certificate-authority-data: (\S+)/.exec(await bootstrapKubeconfig()) ?? [];
    expect(Buffer.from(ca, 'base64').toString()).toBe(`${world.planes.hub.ca.trimEnd()}\n${world.planes.managed.ca}`);
  });

  it.each([
    { check: 'cluster name', change: { '--cluster-name': 'Foo_1' }, code: 2, says: 'lower-case' },
    { check: 'cluster name', change: { '--cluster-name': 'kube-system' }, code: 2, says: 'belongs to Kubernetes' },
    { check: 'address of the hub', change: { '--hub-apiserver': 'http://hub' }, code: 2, says: 'https://' },
    { check: 'token', change: { '--hub-token': '' }, code: 2, says: 'token is missing' },
    { check: 'token', change: { '--hub-token': expired() }, code: 3, says: 'the token expired at 2001-09-09' },
    { check: 'hub', change: { '--hub-token': 'abc' }, code: 3, says: 'does not accept the token' },
    {
      check: 'certificate of the hub',
      change: { '--hub-ca-hash': `sha256:${'0'.repeat(64)}` },
      code: 3,
      says: 'The connection may be intercepted',
    },
    { check: 'certificate of the hub', change: { '--hub-ca-hash': 'sha256:1' }, code: 2, says: '64 hexadecimal' },
    { check: 'certificate of the hub', change: { '--ca-file': '/nonexistent' }, code: 2, says: 'may read' },
    {
      check: 'certificate of the hub',
      change: { '--hub-ca-hash': undefined },
      code: 3,
      says: 'the token was not sent',
    },
    {
      check: 'certificate of the hub',
      change: { '--hub-apiserver': 'https://dead:1' },
      code: 4,
      says: 'does not answer',
    },
    {
      check: 'this cluster',
      change: { '--cluster-name': 'cluster9' },
      code: 3,
      says: 'unjoin --cluster-name cluster1',
    },
    { check: 'feature gates', change: { '--feature-gates': 'Nope=true' }, code: 2, says: 'Nope is not known' },
  ])('fails in the check "$check" and says: $says [cli A26, A27, A28]', async ({ check, change, code, says }) => {
    const flags = { ...pairs([...joinInfo, '--cluster-name', 'cluster1']), ...change };
    const argv = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
    const result = await join_(...argv);
    expect([result.code, result.err]).toEqual([code, expect.stringContaining(`preflight check "${check}" failed`)]);
    expect(result.err).toContain(says);
  });

  it.each([
    [
      '--ca-file',
      async (pem: string) => {
        const file = join(directory, 'other.pem');
        await writeFile(file, pem);
        return file;
      },
    ],
    ['--hub-ca-data', async (pem: string) => btoa(pem)],
  ])('fails in the check of the certificate with %s of another CA', async (flag, given) => {
    const flags = { ...pairs([...joinInfo, '--cluster-name', 'cluster1']), '--hub-ca-hash': '' };
    const argv = Object.entries(flags).flatMap((pair) => (pair[1] === '' ? [] : pair));
    const { code, err } = await join_(...argv, flag, await given(world.planes.managed.ca));
    expect([code, err]).toEqual([
      3,
      expect.stringContaining('preflight check "certificate of the hub" failed: the certificate of the hub cannot be'),
    ]);
  });

  it('says that a server is not a hub', async () => {
    const { plain } = world.planes;
    await plain.client.resource(serviceAccounts).create({ metadata: { name: 'a', namespace: 'default' } });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ kind: 'ServiceAccount', name: 'a', namespace: 'default' }];
    await plain.client.resource(clusterRoleBindings).create({ metadata: { name: 'a' }, roleRef, subjects });
    const { token: admin } = await createToken(plain.client, 'default/a', { expirationSeconds: 600 });
    const data = Buffer.from(plain.ca).toString('base64');
    const flags = ['--hub-token', admin, '--hub-apiserver', serverOf('plain'), '--hub-ca-data', data];
    const { code, err } = await join_(...flags, '--cluster-name', 'cluster1');
    expect([code, err]).toEqual([3, expect.stringContaining('that API server is not a hub')]);
  });

  it('does not promise to run an agent again without a token before it has credentials', async () => {
    const flags = ['--cluster-name', 'cluster1', '--run'];
    const { err } = await world.flotilla(['join', '--kubeconfig', 'managed', ...joinInfo, ...flags], {
      signal: AbortSignal.abort(),
    });
    expect(err).toContain('The agent has no credentials yet. To run it again, repeat this command with its token.');
    expect(err).not.toContain('To run the agent again');
  });

  it('refuses a name that another cluster has on the hub', async () => {
    await register(world.planes.hub.client, 'taken', { [clusterIdentityAnnotation]: 'somebody' });
    const { code, err } = await world.flotilla([
      ...['join', '--kubeconfig', 'plain', ...joinInfo],
      ...['--cluster-name', 'taken'],
    ]);
    expect([code, err]).toEqual([3, expect.stringContaining('another cluster named taken')]);
  });

  it('waits in vain for an agent that does not run, and says so', async () => {
    const { code, err } = await asCluster1('--wait', '--timeout', '0');
    expect([code, err]).toEqual([4, expect.stringContaining('join … --run')]);
    expect((await asCluster1('--wait', '--run')).code).toBe(2);
  });

  it('needs the name of the cluster', async () => {
    expect((await flotilla(['join', '--hub-apiserver', 'https://hub'])).code).toBe(2);
  });
});

/** A token of a service account that ended in 2001. */
function expired(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'ES256' }), part({ exp: 1_000_000_000 }), 'signature'].join('.');
}

/** Flags with their values. */
function pairs(argv: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(argv.flatMap((flag, index) => (index % 2 === 0 ? [[flag, argv[index + 1]]] : [])));
}
