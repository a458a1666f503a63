import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@flotilla/envtest';
import {
  type AccessSource,
  type ClusterAccess,
  defaultAccess,
  kubeconfigAccess,
  realClock,
  staticAccess,
} from '@flotilla/kube';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { createTransport, type TransportOptions } from '@flotilla/kube/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ controllerManager: false });
});
afterAll(() => cluster?.stop());

/** Whom the API server takes us for. */
async function whoAmI(source: AccessSource, options: Partial<TransportOptions> = {}) {
  const transport = createTransport({ access: source, clock: realClock, ...options });
  try {
    const { body } = await transport.request({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
    });
    return JSON.parse(body).status.userInfo;
  } finally {
    await transport.close();
    source.close();
  }
}

const file = (name: string) => join(cluster.directory, name);

describe('a real API server knows us by', () => {
  it('the kubeconfig that KUBECONFIG names', async () => {
    const env = { KUBECONFIG: `/absent:${cluster.kubeconfigPath}` };
    expect((await whoAmI(defaultAccess({ env, clock: realClock }))).groups).toContain('system:masters');
  });

  it('the user, groups and extras that we act for', async () => {
    const impersonate = { user: 'bob', uid: '42', groups: ['red', 'blue'], extra: { 'acme.com/scope': ['a', 'b'] } };
    const path = file('impersonate.kubeconfig');
    await writeKubeconfig(path, kubeconfigFor({ ...cluster.access, impersonate }));
    expect(await whoAmI(kubeconfigAccess({ files: path, clock: realClock }))).toMatchObject({
      username: 'bob',
      uid: '42',
      groups: expect.arrayContaining(['red', 'blue']),
      extra: { 'acme.com/scope': ['a', 'b'] },
    });
  });

  it('the token of an exec plugin', async () => {
    const { token } = await cluster.createServiceAccountToken('default/plugin');
    const plugin = file('plugin');
    const apiVersion = 'client.authentication.k8s.io/v1';
    const credential = JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token } });
    await writeFile(plugin, `#!/bin/sh\necho '${credential}'\n`);
    await chmod(plugin, 0o700);
    const document = kubeconfigFor({ server: cluster.server, ca: cluster.ca, origin: '' });
    const exec = { apiVersion, command: './plugin', interactiveMode: 'Never' };
    const path = file('exec.kubeconfig');
    await writeFile(path, JSON.stringify({ ...document, users: [{ name: 'default', user: { exec } }] }), {
      mode: 0o600,
    });
    const source = kubeconfigAccess({ files: path, clock: realClock, env: process.env });
    expect((await whoAmI(source)).username).toBe('system:serviceaccount:default:plugin');
  });

  it('a client certificate, through an HTTP proxy', async () => {
    const user = await cluster.createUser({ name: 'ann' });
    const sockets = new Set<Socket>();
    const proxy = createServer().on('connect', (request, near: Socket) => {
      const [host, port] = String(request.url).split(':');
      const far = connect(Number(port), host, () => {
        near.write('HTTP/1.1 200 OK\r\n\r\n');
        near.pipe(far).pipe(near);
      });
      for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    expect((await whoAmI(staticAccess({ ...user.access, proxyUrl }))).username).toBe('ann');
    expect(sockets.size).toBe(2);
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
});

describe('a real API server that refuses us', () => {
  const failure = (access: ClusterAccess) => whoAmI(staticAccess(access)).catch((error: unknown) => error);

  it('for a bad token is reported as Unauthorized', async () => {
    const { server, ca } = cluster;
    expect(await failure({ server, ca, authorization: 'Bearer bad', origin: 'spec' })).toMatchObject({
      code: 'Unauthorized',
    });
  });

  it('for a CA that we do not trust is reported as Tls, with the origin to fix', async () => {
    const { server } = cluster;
    expect(await failure({ server, authorization: 'Bearer bad', origin: 'the spec' })).toMatchObject({
      code: 'Tls',
      hint: expect.stringContaining('certificate-authority-data of the spec'),
    });
  });
});
