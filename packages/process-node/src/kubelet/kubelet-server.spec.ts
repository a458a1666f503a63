import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { realClock, silentLogger } from '@flotilla/kube';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestNode, type TestNode } from '../fixtures/test-node.ts';
import { KubeletServer } from './kubelet-server.ts';

describe("the kubelet's endpoint", () => {
  let test: TestNode;
  beforeAll(async () => {
    test = await startTestNode();
    await test.create('talker', { restartPolicy: 'Never', main: { args: ['echo secret'] } });
    await test.podWhen('talker', ({ status }) => status?.phase === 'Succeeded');
  });
  afterAll(() => test[Symbol.asyncDispose]());

  /** Verifies the endpoint by the authority of the cluster, as the API server does. */
  const ask = (path: string, pair?: KeyPair) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const client = pair && { cert: pair.certificate, key: pair.key };
      const call = request({ host: test.node.address, port: 10_250, path, agent: false, ca: test.plane.ca, ...client });
      call.once('response', async (response) => resolve({ status: response.statusCode, body: await text(response) }));
      call.once('error', reject);
      call.end();
    });
  const log = '/containerLogs/default/talker/main';

  it('has a certificate of the cluster, and tells anyone that it lives', async () => {
    expect(await ask('/healthz')).toEqual({ status: 200, body: 'ok\n' });
  });

  it('shows logs to the API server', async () => {
    const { certificate = '', key = '' } = test.plane.access.clientCertificate ?? {};
    expect(await ask(log, { certificate, key })).toEqual({ status: 200, body: 'secret\n' });
    expect((await ask(`${log}?tailLines=x`, { certificate, key })).body).toBe(
      'tailLines: "x" is not a whole number from 0\n',
    );
    expect((await ask('/containerLogs/default/talker/other', { certificate, key })).status).toBe(404);
  });

  it('is asked by the API server as a user who may use kubelets, and nothing else', async () => {
    const asked: unknown[] = [];
    const { transport } = test.plane.clientOf({
      name: 'kube-apiserver-kubelet-client',
      groups: ['system:authenticated'],
    });
    for (const path of ['/api/v1/nodes/process-node', '/api/v1/secrets']) {
      asked.push(
        await transport.request({ method: 'GET', path }).then(
          ({ status }) => status,
          ({ status }) => status,
        ),
      );
    }
    expect(asked).toEqual([200, 403]);
    expect(await test.logOf('talker')).toBe('secret\n');
  });

  it('shows nothing to a caller without a certificate', async () => {
    expect(await ask(log)).toMatchObject({ status: 401, body: expect.not.stringContaining('secret') });
  });

  it('shows nothing to a caller whose certificate another authority signed, whatever it says', async () => {
    const foreign = await createAuthority('foreign', realClock);
    const pair = await issueCertificate(
      foreign,
      { usage: 'client', name: 'admin', groups: ['system:masters'] },
      realClock,
    );
    expect((await ask(log, pair)).status).toBe(401);
  });
});

it('without an authority of clients verifies no client, whoever signed its certificate', async () => {
  const authority = await createAuthority('any', realClock);
  const pair = await issueCertificate(authority, { usage: 'server', hosts: ['127.64.255.1'] }, realClock);
  const client = await issueCertificate(authority, { usage: 'client', name: 'admin' }, realClock);
  // One that Node trusts by itself, as a company adds to all of its machines.
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, authority.certificate]);
  using _ = { [Symbol.dispose]: () => setDefaultCACertificates(trusted) };
  const server = new KubeletServer({ clock: realClock, log: silentLogger });
  await server.listen('127.64.255.1');
  const seen: boolean[] = [];
  server.serve({
    authorize: async (socket) => {
      seen.push(socket.authorized);
      return { status: 401, message: 'no' };
    },
    find: () => undefined,
    upgrade: () => false,
  });
  server.use(pair, undefined);
  const call = request({
    host: '127.64.255.1',
    port: 10_250,
    path: '/containerLogs/a/b/c',
    agent: false,
    ca: authority.certificate,
    cert: client.certificate,
    key: client.key,
  });
  const answered = once(call, 'response');
  call.end();
  const [response] = await answered;
  expect([response.statusCode, seen]).toEqual([401, [false]]);
  await server.close();
});
