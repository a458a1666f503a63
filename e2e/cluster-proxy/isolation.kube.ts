import { request as httpsRequest } from 'node:https';
import { ClusterProxyApi, clusterProxyPath, tunnelPath } from '@flotilla/api-types';
import { staticAccess } from '@flotilla/kube';
import { configMaps, createToken, selfSubjectReviews } from '@flotilla/kube/kinds';
import { createTransport } from '@flotilla/kube/transport';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Cluster } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { deploy, serverKinds } from '../registration/servers.ts';
import { enabled, grant, type ProxyFleet, startProxyFleet, startProxyServer } from './proxy-fleet.ts';

const patience = { timeout: 60_000, interval: 200 };

describe.each(serverKinds)(
  'what a user and an agent may do through a hub on %s',
  (kind) => {
    let fleet: ProxyFleet;
    let proxy: Program;
    let first: Cluster;
    let isWrong = false;
    const cleanup = new AsyncDisposableStack();
    beforeAll(async () => {
      fleet = cleanup.use(await startProxyFleet(await startProxyServer(kind)));
      fleet.startHub();
      proxy = await fleet.startProxy();
      const [one, two] = [await fleet.newCluster(), await fleet.newCluster()];
      first = one;
      await deploy(one.server, 'agent', ['cluster-proxy/rbac.yaml']);
      await grant(one.server, 'alice', 'cluster-admin', 'alice');
      await grant(one.server, 'bob', 'cluster-admin', 'bob');
      one.startAgent('one', { flags: [enabled] });
      // Without the gate.
      two.startAgent('two');
      await Promise.all(['one', 'two'].map((name) => fleet.admin.admit(name)));
      await Promise.all(['one', 'two'].map((name) => fleet.admin.joined(name)));
      await fleet.permit('alice', ['one', 'two']);
      await fleet.permit('bob', ['one'], ['get']);
      const alice = fleet.clientTo('one', { user: 'alice' });
      await vi.waitFor(() => alice.resource(configMaps).list({ namespace: 'default' }), patience);
    }, 200_000);
    afterEach(({ task }) => {
      isWrong ||= task.result?.state === 'fail';
    });
    afterAll(async () => {
      if (isWrong) console.error(fleet?.logs());
      await cleanup.disposeAsync();
    });

    it('refuses whoever the roles of the hub do not name, and writing to whoever may only read', async () => {
      const mallory = fleet.clientTo('one', { user: 'mallory' });
      await expect(mallory.resource(configMaps).list()).rejects.toThrow(
        'User "mallory" cannot get resource "managedclusters/proxy"',
      );
      const bob = fleet.clientTo('one', { user: 'bob' });
      await bob.resource(configMaps).list();
      await expect(bob.resource(configMaps).create({ metadata: { name: 'x', namespace: 'default' } })).rejects.toThrow(
        'User "bob" cannot create resource "managedclusters/proxy"',
      );
      await expect(fleet.clientTo('two', { user: 'bob' }).resource(configMaps).list()).rejects.toThrow('cannot get');
    });

    it('opens no shell for whoever may only read', async () => {
      const bob = createTransport({ access: staticAccess(fleet.accessTo('one', { user: 'bob' })) });
      const path = '/api/v1/namespaces/default/pods/x/exec?command=sh&stdin=true';
      const answer = await bob.upgrade?.({ method: 'GET', path, protocol: 'websocket' });
      expect(answer).toMatchObject({ switched: false, status: 403 });
      await bob.close();
    });

    it('is the same user on the cluster, and never an administrator, a node or an account of it', async () => {
      const whoami = async (user: string, groups: string[]) => {
        await fleet.permit(user, ['one']).catch(() => {});
        const client = fleet.clientTo('one', { user, groups });
        const { status } = await client.resource(selfSubjectReviews).create({});
        return [status?.userInfo?.username, ...(status?.userInfo?.groups ?? []).toSorted()];
      };
      expect(await whoami('alice', ['developers'])).toEqual(['alice', 'developers', 'system:authenticated']);
      const masters = ['cluster:hub:system:masters', 'system:authenticated'];
      expect(await whoami('alice', ['system:masters'])).toEqual(['alice', ...masters]);
      const account = 'system:serviceaccount:default:default';
      expect(await whoami(account, [])).toEqual([
        `cluster:hub:${account}`,
        'cluster:hub:system:serviceaccounts',
        'cluster:hub:system:serviceaccounts:default',
        'system:authenticated',
      ]);
      expect((await whoami('cluster:hub:system:admin', []))[0]).toBe('cluster:hub:cluster:hub:system:admin');
    });

    it('lets no user choose another identity by headers', async () => {
      const { token } = await createToken(fleet.hub.client, 'default/default', { expirationSeconds: 600 });
      await fleet.permit('system:serviceaccount:default:default', ['one']).catch(() => {});
      const access = fleet.accessTo('one', { user: 'x' });
      const own = createTransport({ access: staticAccess({ server: access.server, ca: access.ca, origin: 'x' }) });
      const send = (headers: Record<string, string>) =>
        own.request({
          method: 'POST',
          path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
          body: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
          headers: { authorization: `Bearer ${token}`, ...headers },
        });
      const forged = await send({
        'x-remote-user': 'alice',
        'x-remote-group': 'system:masters',
        'flotilla-user': 'e30',
      });
      expect(JSON.parse(forged.body).status.userInfo.username).toBe(
        'cluster:hub:system:serviceaccount:default:default',
      );
      await expect(send({ 'impersonate-user': 'alice' })).rejects.toThrow('cannot impersonate');
      await own.close();
    });

    it('believes nobody but the API server about users', async () => {
      const { address } = await proxy.said('serving the API by which clusters are reached');
      const [, port] = String(address).split(':');
      const { status, body } = await new Promise<{ status: number; body: string }>((resolve, reject) => {
        const headers = { 'x-remote-user': 'alice', 'x-remote-group': 'system:masters', 'flotilla-user': 'e30' };
        const path = `${clusterProxyPath('one')}/api/v1/secrets`;
        const sent = httpsRequest({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }, (answer) => {
          let text = '';
          answer
            .on('data', (chunk) => (text += chunk))
            .on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
        });
        sent.on('error', reject).end();
      });
      expect(status).toBe(401);
      expect(JSON.parse(body)).toMatchObject({ kind: 'Status', reason: 'Unauthorized' });
    });

    it('lets an agent open the tunnel of its own cluster only, and reach no cluster', async () => {
      await using agent = await first.hubClient();
      const { protocol } = ClusterProxyApi;
      const open = (path: string) => agent.transport.upgrade?.({ method: 'GET', path, protocol });
      expect(await open(tunnelPath('two'))).toMatchObject({ switched: false, status: 403 });
      expect(await open(tunnelPath('two').replace('namespaces/two', 'namespaces/one'))).toMatchObject({
        switched: false,
        status: 404,
      });
      await expect(
        agent.transport.request({ method: 'GET', path: `${clusterProxyPath('one')}/version` }),
      ).rejects.toThrow('Forbidden');
    });

    it('says why a cluster cannot be reached whose agent does not let users in', async () => {
      const alice = fleet.clientTo('two', { user: 'alice' });
      await expect(alice.transport.request({ method: 'GET', path: '/version', deadlineMs: 3000 })).rejects.toThrow(
        /cluster two cannot be reached: its agent has never connected.*ClusterProxy/,
      );
      const nowhere = fleet.clientTo('nowhere', { user: 'alice' });
      await expect(nowhere.resource(configMaps).list()).rejects.toThrow();
    });

    it('writes a line of audit for each request, without its query', async () => {
      const alice = fleet.clientTo('one', { user: 'alice', groups: ['developers'] });
      await alice.transport.request({ method: 'GET', path: '/api/v1/namespaces?token=secret' });
      const line = await proxy.said('request of a user to a cluster', '"path":"/api/v1/namespaces"', 'developers');
      expect(line).toMatchObject({ cluster: 'one', user: 'alice', method: 'GET', code: 200 });
      expect(JSON.stringify(proxy.log)).not.toContain('token=secret');
    });
  },
  200_000,
);
