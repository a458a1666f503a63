import { X509Certificate } from 'node:crypto';
import { type Cluster, type Identity, startCluster } from '@flotilla/envtest';
import { createKubeClient, KubeError, realClock, staticAccess } from '@flotilla/kube';
import { certificateSigningRequests, namespaces, setApproval } from '@flotilla/kube/kinds';
import { createTransport } from '@flotilla/kube/transport';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCsr } from './csr.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ signingDuration: '2h' });
});
afterAll(() => cluster?.stop());

const whoami = async ({ kubeconfigPath }: Identity) =>
  JSON.parse((await cluster.kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfigPath })).stdout).status.userInfo;

test('a user is who the certificate says, and may do nothing until RBAC grants it', async () => {
  const jane = await cluster.createUser({ name: 'jane', groups: ['dev'] });
  expect(await whoami(jane)).toMatchObject({ username: 'jane', groups: ['dev', 'system:authenticated'] });
  const transport = createTransport({ access: staticAccess(jane.access), clock: realClock });
  const client = createKubeClient({ transport });
  const refused = await client
    .resource(namespaces)
    .list()
    .catch((error: unknown) => error);
  expect(KubeError.is(refused, 'Forbidden')).toBe(true);
  await cluster.kubectl(['create', 'clusterrolebinding', 'dev', '--clusterrole=view', '--group=dev']);
  await cluster.kubectl(['create', 'clusterrole', 'ns', '--verb=list', '--resource=namespaces']);
  await cluster.kubectl(['create', 'clusterrolebinding', 'ns', '--clusterrole=ns', '--group=dev']);
  await expect.poll(() => client.resource(namespaces).list(), { timeout: 10_000 }).toBeDefined();
  await client.close();
});

test('a user whose certificate has expired is refused', async () => {
  const late = await cluster.createUser({ name: 'late', ttlMs: -1 });
  await expect(whoami(late)).rejects.toThrow(/CommandFailed: .*(logged in|Unauthorized|expired)/s);
});

test('a service account has a token for as long as asked', async () => {
  const robot = await cluster.createServiceAccountToken('team-a/robot', { expirationSeconds: 600 });
  expect((await whoami(robot)).username).toBe('system:serviceaccount:team-a:robot');
  expect((robot.expiresAt ?? 0) - realClock.now()).toBeLessThanOrEqual(600_000);
  expect((await cluster.createServiceAccountToken('team-a/robot')).token).not.toBe(robot.token);
});

test('a bootstrap token belongs to its groups', async () => {
  const bootstrap = await cluster.createBootstrapToken({ groups: ['system:bootstrappers:agents'], ttlMs: 600_000 });
  const { username, groups } = await whoami(bootstrap);
  expect(username).toBe(`system:bootstrap:${bootstrap.token.slice(0, 6)}`);
  expect(groups).toEqual(expect.arrayContaining(['system:bootstrappers', 'system:bootstrappers:agents']));
});

test('a bootstrap token that has expired is cleaned away', async () => {
  const expired = await cluster.createBootstrapToken({ ttlMs: -1000 });
  await expect.poll(() => whoami(expired).catch((error: Error) => error.message)).toContain('CommandFailed');
  const secret = ['get', 'secret', '-n', 'kube-system', `bootstrap-token-${expired.token.slice(0, 6)}`];
  await expect
    .poll(() => cluster.kubectl(secret).catch((error: Error) => error.message), { timeout: 10_000 })
    .toContain('NotFound');
});

test('an approved CSR is signed by the CA of the cluster for the configured time, and the certificate works', async () => {
  const { request, key } = await createCsr({ name: 'agent-1', groups: ['agents'] });
  const requests = cluster.client.resource(certificateSigningRequests);
  const created = await requests.create({
    metadata: { name: 'agent-1' },
    spec: {
      signerName: 'kubernetes.io/kube-apiserver-client',
      request: Buffer.from(request).toString('base64'),
      usages: ['digital signature', 'client auth'],
    },
  });
  const approval = { type: 'Approved', reason: 'Test', message: 'for the test' } as const;
  await setApproval(cluster.client, created, approval, { now: realClock.now() });
  const signed = async () => (await requests.get('agent-1')).status?.certificate;
  await expect.poll(signed, { timeout: 10_000 }).toBeDefined();
  const certificate = Buffer.from((await signed()) ?? '', 'base64').toString();
  const parsed = new X509Certificate(certificate);
  expect(parsed.checkIssued(new X509Certificate(cluster.ca))).toBe(true);
  expect(parsed.validToDate.getTime() - realClock.now()).toBeLessThanOrEqual(2 * 3_600_000);

  const access = { ...cluster.access, clientCertificate: { certificate, key } };
  const transport = createTransport({ access: staticAccess(access), clock: realClock });
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const headers = { 'content-type': 'application/json' };
  const review = JSON.parse((await transport.request({ method: 'POST', path, headers, body })).body);
  expect(review.status.userInfo).toMatchObject({ username: 'agent-1', groups: ['agents', 'system:authenticated'] });
  await transport.close();
});
