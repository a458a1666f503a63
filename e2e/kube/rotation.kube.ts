import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, startCluster, startRelay } from '@flotilla/envtest';
import {
  type ClusterAccess,
  createInformers,
  createKubeClient,
  KubeError,
  kubeconfigAccess,
  realClock,
  secretAccess,
  staticAccess,
} from '@flotilla/kube';
import { clusterRoleBindings, configMaps, type Secret, secretData, secrets } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { churn, type Follower, follow } from './follower.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ audit: true });
});
afterAll(() => cluster?.stop());

/** Reads all the time, and remembers every failure: a rotation must not cost a single request. */
function readAllTheTime(follower: Follower, key: string) {
  const stop = new AbortController();
  const failures: unknown[] = [];
  let reads = 0;
  const ended = (async () => {
    while (!stop.signal.aborted) {
      await follower.client
        .resource(configMaps)
        .get(key)
        .then(() => reads++)
        .catch((error) => failures.push(error));
      await realClock.sleep(5);
    }
  })();
  return {
    async end() {
      stop.abort();
      await ended;
      expect(failures).toEqual([]);
      expect(reads).toBeGreaterThan(0);
    },
  };
}

/** Which users and how many of their watches the API server has seen so far. */
async function watchesOf(user: string): Promise<number> {
  const events = await cluster.auditEvents();
  return events.filter((event) => event.verb === 'watch' && event.user?.username === user).length;
}

const grantAll = async (name: string, subject: { kind: string; name: string; namespace?: string }) =>
  cluster.client.resource(clusterRoleBindings).create({
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [subject],
  });

describe('while requests go on and a watch is open, with no failed request and no restart, the client takes over', () => {
  it('a new client certificate of another user from the kubeconfig on disk', async () => {
    const file = join(cluster.directory, 'rotating-certificate.kubeconfig');
    const identity = async (name: string): Promise<ClusterAccess> =>
      (await cluster.createUser({ name, groups: ['system:masters'] })).access;
    await writeKubeconfig(file, kubeconfigFor(await identity('first')));
    const access = kubeconfigAccess({ files: file, clock: realClock });
    await using follower = await follow(cluster, 'certificate', { access });
    await churn(cluster, 'certificate', 1, 4);
    const reading = readAllTheTime(follower, 'certificate/map-1');
    await vi.waitFor(async () => expect(await watchesOf('first')).toBeGreaterThan(0), { timeout: 10_000 });

    await writeKubeconfig(file, kubeconfigFor(await identity('second')));
    await vi.waitFor(async () => expect(await watchesOf('second')).toBeGreaterThan(0), { timeout: 10_000 });
    await churn(cluster, 'certificate', 6, 10);
    await follower.matchesServer();
    await reading.end();
    access.close();
  });

  it('a new token from the token file, swapped as the kubelet swaps it', async () => {
    await grantAll('rotating-token', { kind: 'Group', name: 'system:serviceaccounts:token' });
    const one = await cluster.createServiceAccountToken('token/one');
    const two = await cluster.createServiceAccountToken('token/two');
    const directory = join(cluster.directory, 'token-volume');
    const write = async (version: string, token: string) => {
      await mkdir(join(directory, version), { recursive: true });
      await writeFile(join(directory, version, 'token'), token, { mode: 0o600 });
      await symlink(version, join(directory, '..data_tmp'));
      await rename(join(directory, '..data_tmp'), join(directory, '..data'));
    };
    await mkdir(directory, { recursive: true });
    await write('v1', one.token);
    await symlink(join('..data', 'token'), join(directory, 'token'));
    const file = join(cluster.directory, 'rotating-token.kubeconfig');
    const document = kubeconfigFor({ server: cluster.server, ca: cluster.ca, origin: file });
    document.users = [{ name: 'default', user: { tokenFile: join(directory, 'token') } }];
    await writeKubeconfig(file, document);
    const access = kubeconfigAccess({ files: file, clock: realClock });
    await using follower = await follow(cluster, 'token', { access });
    await churn(cluster, 'token', 1, 4);
    const reading = readAllTheTime(follower, 'token/map-1');

    await write('v2', two.token);
    const user = 'system:serviceaccount:token:two';
    await vi.waitFor(async () => expect(await watchesOf(user)).toBeGreaterThan(0), { timeout: 10_000 });
    await churn(cluster, 'token', 6, 10);
    await follower.matchesServer();
    await reading.end();
    access.close();
  });

  it('a new kubeconfig in a Secret, of another user and by another address of the server', async () => {
    await using relay = await startRelay(cluster.server);
    const secret = (user: ClusterAccess): Secret => ({
      metadata: { namespace: 'default', name: 'hub-kubeconfig' },
      stringData: { kubeconfig: formatKubeconfig(kubeconfigFor(user)) },
    });
    const groups = ['system:masters'];
    const one = await cluster.createUser({ name: 'secret-one', groups });
    const two = await cluster.createUser({ name: 'secret-two', groups });
    await cluster.client.resource(secrets).create(secret(one.access));
    using informers = createInformers({ client: cluster.client });
    const cached = informers.resource(secrets, { namespace: 'default' });
    const data = secretData(cached, 'default/hub-kubeconfig');
    const access = secretAccess({ data, origin: 'Secret default/hub-kubeconfig', clock: realClock });
    await using follower = await follow(cluster, 'secret', { access });
    await churn(cluster, 'secret', 1, 4);
    const reading = readAllTheTime(follower, 'secret/map-1');

    const apply = { fieldManager: 'rotation', force: true };
    await cluster.client.resource(secrets).apply(secret({ ...two.access, server: relay.server }), apply);
    await vi.waitFor(async () => expect(await watchesOf('secret-two')).toBeGreaterThan(0), { timeout: 10_000 });
    await churn(cluster, 'secret', 6, 10);
    await follower.matchesServer();
    await reading.end();
    access.close();
  });

  it('a new CA: old trusted, both trusted, the server changes over, new trusted alone', async () => {
    const file = join(cluster.directory, 'rotating-ca.kubeconfig');
    const trust = (ca: string) => writeKubeconfig(file, kubeconfigFor({ ...cluster.access, ca }));
    const old = cluster.ca;
    await trust(old);
    const access = kubeconfigAccess({ files: file, clock: realClock });
    await using follower = await follow(cluster, 'ca', { access });
    await churn(cluster, 'ca', 1, 4);
    const reading = readAllTheTime(follower, 'ca/map-1');

    // The connection that stands was verified by the old CA; the bundle must be there before the next one is made.
    const rotation = await cluster.rotateServingCertificate({ ca: 'new' });
    await trust(rotation.bundle);
    await churn(cluster, 'ca', 6, 8);
    await trust(rotation.ca);
    await churn(cluster, 'ca', 11, 13);
    await follower.matchesServer();
    await reading.end();
    access.close();

    // The old CA alone is no longer enough, and the error says so.
    const stale = createKubeClient({ access: staticAccess({ ...cluster.access, ca: old }), deadlineMs: 2000 });
    const error = await stale
      .resource(configMaps)
      .get('ca/map-1')
      .catch((failure: unknown) => failure);
    await stale.close();
    expect(KubeError.is(error, 'Tls')).toBe(true);
  });
});
