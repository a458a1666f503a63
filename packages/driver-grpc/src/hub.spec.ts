import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, Label } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createInformers, runControllers, silentLogger } from '@flotilla/kube';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  namespaces,
  secrets,
  setApproval,
} from '@flotilla/kube/kinds';
import { createAuthority, type KeyPair, loadX509, newSerialNumber, toPem } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import {
  type CertificateSubject,
  clusterSubject,
  createCertificateRequest,
  createKey,
} from '@flotilla/registration-core/certificates';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGrpcHub } from './hub.ts';
import { signerAuthority } from './signing/signer-authority.ts';

const signerName = 'open-cluster-management.io/grpc';
const server = { name: 'system:serviceaccount:open-cluster-management-hub:grpc-server-sa', groups: ['server'] };
const outsider = { name: 'outsider', groups: ['server'] };
const bootstrapUser = 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap';
const agent = (cluster: string) => clusterSubject({ clusterName: cluster, agentName: 'a1' });
const dayMs = 24 * 3_600_000;

const clock = new FakeClock();
const end = new AbortController();
let plane: ControlPlane;
let running: Promise<void>;
let authority: KeyPair;

interface Sent {
  readonly as?: typeof server;
  /** The user in the annotation. */
  readonly user?: string;
  readonly cluster?: string;
  readonly subject?: CertificateSubject;
  readonly signerName?: string;
  readonly expirationSeconds?: number;
}

const requests = () => plane.client.resource(certificateSigningRequests);

async function send(sent: Sent): Promise<string> {
  const { as = server, user, cluster = 'c1', expirationSeconds } = sent;
  const pem = await createCertificateRequest(createKey(), sent.subject ?? agent(cluster));
  const { metadata } = await plane
    .clientOf(as)
    .resource(certificateSigningRequests)
    .create({
      metadata: {
        generateName: `${cluster}-`,
        labels: { [Label.ClusterName]: cluster },
        ...(user && { annotations: { [Annotation.CsrUser]: user } }),
      },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName: sent.signerName ?? signerName,
        usages: ['digital signature', 'key encipherment', 'client auth'],
        ...(expirationSeconds && { expirationSeconds }),
      },
    });
  return metadata?.name ?? '';
}

const approve = async (name: string) => {
  const approval = { type: 'Approved', reason: 'ByAdmin', message: '' } as const;
  await setApproval(plane.client, await requests().get(name), approval, { now: clock.now() });
};
const statusOf = async (name: string): Promise<NonNullable<CertificateSigningRequest['status']>> =>
  (await requests().get(name)).status ?? {};
const conditionsOf = async (name: string) => (await statusOf(name)).conditions?.map(({ type }) => type) ?? [];
const certificateOf = (name: string): Promise<X509Certificate> =>
  vi.waitFor(async () => {
    const { certificate } = await statusOf(name);
    if (!certificate) throw new Error('it is not signed');
    return new X509Certificate(Buffer.from(certificate, 'base64'));
  });

/** Requests are handled in the order in which they come: once this one is signed, those before it were looked at. */
const allSeen = async () => {
  const name = await send({ user: bootstrapUser, cluster: 'seen' });
  await certificateOf(name);
};

const store = (pair: KeyPair) => ({
  metadata: { namespace: 'open-cluster-management-hub', name: 'signer-secret' },
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': base64(pair.certificate), 'tls.key': base64(pair.key) },
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const options = {
  grpcCaFile: '',
  grpcKeyFile: '',
  grpcSignerSecret: 'open-cluster-management-hub/signer-secret',
  grpcSigningDuration: 30 * dayMs,
  autoApprovedGrpcUsers: [bootstrapUser],
  grpcServerUsers: [server.name],
};

beforeAll(async () => {
  plane = await startControlPlane({
    listen: false,
    clock,
    crds: customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ManagedCluster'),
  });
  const roles = plane.client.resource(clusterRoles);
  const bindings = plane.client.resource(clusterRoleBindings);
  const grant = async (
    name: string,
    group: string,
    rule: { apiGroups: string[]; resources: string[]; verbs: string[] },
  ) => {
    const apiGroup = 'rbac.authorization.k8s.io';
    await roles.create({ metadata: { name }, rules: [rule] });
    await bindings.create({
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ apiGroup, kind: 'Group', name: group }],
    });
  };
  await grant('ask', 'server', {
    apiGroups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests'],
    verbs: ['create'],
  });
  await grant('renew', 'system:open-cluster-management:c1', {
    apiGroups: ['register.open-cluster-management.io'],
    resources: ['managedclusters/clientcertificates'],
    verbs: ['renew'],
  });
  authority = await createAuthority('first', clock);
  await plane.client.resource(namespaces).create({ metadata: { name: 'open-cluster-management-hub' } });
  await plane.client.resource(secrets).create(store(authority));
  const informers = createInformers({ client: plane.client, clock });
  const { controllers } = createGrpcHub({
    client: plane.client,
    informers,
    clock,
    log: silentLogger,
    signal: end.signal,
    gates: { ManagedClusterAutoApproval: true },
    options,
  });
  running = runControllers(controllers, { signal: end.signal, clock }).finally(() => informers.close());
});

afterAll(async () => {
  end.abort();
  await running;
  await plane.stop();
});

describe('the approval of requests that came over gRPC', () => {
  it('[grpc-cloudevents 26.6-61] [registration-hub 56] approves a renewal: the user is that of the annotation, the groups are those of the request', async () => {
    const name = await send({ user: agent('c1').user });
    await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
  });

  it('[grpc-cloudevents 26.7-64] approves the first request of a user whom the flag names', async () => {
    const name = await send({ user: bootstrapUser, cluster: 'c2' });
    await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
  });

  it.each<[string, Sent]>([
    ['whose user may not renew', { user: agent('c3').user, cluster: 'c3' }],
    ['of an agent for another one of its cluster', { user: 'system:open-cluster-management:c1:a2' }],
    ['of an agent for another cluster', { user: agent('c1').user, cluster: 'c2' }],
    ['of a user whom no flag names', { user: 'somebody', cluster: 'c2' }],
    ['that names no user', {}],
    ['whose annotation was not written by a server', { as: outsider, user: bootstrapUser, cluster: 'c2' }],
    ['for another signer', { user: agent('c1').user, signerName: 'kubernetes.io/kube-apiserver-client' }],
  ])('leaves a request %s to an administrator [registration-hub 55, 61]', async (_, sent) => {
    const name = await send(sent);
    await allSeen();
    expect(await conditionsOf(name)).toEqual([]);
  });
});

describe('the signer of the hub', () => {
  it('[grpc-cloudevents 26.6-60] [registration-hub 53, 54] signs an approved request once, for the client and for no server', async () => {
    const name = await send({ user: 'somebody', cluster: 'c2' });
    await allSeen();
    expect((await statusOf(name)).certificate).toBeUndefined();
    await approve(name);
    const certificate = await certificateOf(name);
    const { resourceVersion } = (await requests().get(name)).metadata ?? {};
    expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
    expect(certificate.subject).toContain('CN=system:open-cluster-management:c2:a1');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.validToDate.getTime()).toBe(Math.floor((clock.now() + 30 * dayMs) / 1000) * 1000);
    await allSeen();
    expect((await requests().get(name)).metadata?.resourceVersion).toBe(resourceVersion);
  });

  it('gives the life that was asked for, and no more than its own limit', async () => {
    const [short, long] = await Promise.all([
      send({ user: bootstrapUser, cluster: 'c2', expirationSeconds: 3600 }),
      send({ user: bootstrapUser, cluster: 'c2', expirationSeconds: (400 * dayMs) / 1000 }),
    ]);
    const end = async (name: string) => (await certificateOf(name)).validToDate.getTime() - clock.now();
    expect(Math.abs((await end(short)) - 3_600_000)).toBeLessThan(1000);
    expect(Math.abs((await end(long)) - 30 * dayMs)).toBeLessThan(1000);
  });

  it.each<[string, CertificateSubject, string]>([
    ['an administrator', { ...agent('c2'), user: 'admin', groups: ['system:masters'] }, 'c2'],
    ['another cluster than its label names', agent('c1'), 'c2'],
    ['an agent with a name of a server', { ...agent('c2'), dnsNames: ['grpc-server.svc'] }, 'c2'],
  ])('refuses a request for %s, although it is approved', async (_, subject, cluster) => {
    const name = await send({ user: bootstrapUser, cluster, subject });
    await approve(name);
    await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Failed'));
    expect((await statusOf(name)).certificate).toBeUndefined();
  });

  it('signs with another authority as soon as the Secret has one, an RSA key included', async () => {
    const next = await rsaAuthority();
    await plane.client.resource(secrets).replace(store(next));
    const isNext = (certificate: X509Certificate) =>
      certificate.verify(new X509Certificate(next.certificate).publicKey);
    await vi.waitFor(async () => {
      const name = await send({ user: bootstrapUser, cluster: 'c2' });
      expect(isNext(await certificateOf(name))).toBe(true);
    });
  });

  it('certifies nothing beyond the end of the authority, and nothing with one that ended [registration-hub 60]', async () => {
    const handle = plane.client.resource(secrets);
    const hourMs = 3_600_000;
    const short = await createAuthority('short', clock, { ttlMs: hourMs });
    await handle.replace(store(short));
    await vi.waitFor(async () => {
      const certificate = await certificateOf(await send({ user: bootstrapUser, cluster: 'c2' }));
      expect(certificate.validToDate).toEqual(new X509Certificate(short.certificate).validToDate);
    });
    const ended = await createAuthority('ended', clock, { ttlMs: -1000 });
    await handle.replace(store(ended));
    const name = await send({ user: bootstrapUser, cluster: 'c2' });
    await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
    await handle.replace(store(authority));
    const certificate = await certificateOf(name);
    expect(certificate.verify(new X509Certificate(ended.certificate).publicKey)).toBe(false);
  });

  it('waits while the Secret has no authority, and goes on when it has one', async () => {
    const handle = plane.client.resource(secrets);
    await handle.delete('open-cluster-management-hub/signer-secret');
    const name = await send({ user: bootstrapUser, cluster: 'c2' });
    await vi.waitFor(async () => expect(await conditionsOf(name)).toContain('Approved'));
    await handle.create(store(authority));
    await certificateOf(name);
  });
});

describe('the authority in files', () => {
  it('needs both of them', () => {
    const context = { client: plane.client, clock, log: silentLogger, signal: end.signal, gates: {} };
    using informers = createInformers({ client: plane.client, clock });
    expect(() => createGrpcHub({ ...context, informers, options: { ...options, grpcCaFile: 'ca' } })).toThrow(
      'only one of --grpc-ca-file and --grpc-key-file is set',
    );
  });

  it('is read for each certificate', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'grpc-signer-'));
    const [grpcCaFile, grpcKeyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
    using informers = createInformers({ client: plane.client, clock });
    const inFiles = signerAuthority({ ...options, grpcCaFile, grpcKeyFile }, informers);
    for (const content of ['one', 'two']) {
      await Promise.all([writeFile(grpcCaFile, content), writeFile(grpcKeyFile, content)]);
      expect(await inFiles.current()).toEqual({ certificate: content, key: content });
    }
    await rm(directory, { recursive: true });
  });
});

it('accepts clusters that declare gRPC, or nothing, and no others', () => {
  using informers = createInformers({ client: plane.client, clock });
  const { accepts } = createGrpcHub({
    client: plane.client,
    informers,
    clock,
    log: silentLogger,
    signal: end.signal,
    gates: {},
    options,
  });
  const cluster = (declared?: string) => ({
    metadata: {
      name: 'c1',
      ...(declared && { annotations: { 'agent.open-cluster-management.io/registration-auth': declared } }),
    },
  });
  expect([accepts(cluster('grpc')), accepts(cluster()), accepts(cluster('csr'))]).toEqual([
    'accept',
    'accept',
    'not mine',
  ]);
});

/** As OCM's operator makes it. */
async function rsaAuthority(): Promise<KeyPair> {
  const x509 = await loadX509();
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=cluster-manager-webhook',
    keys,
    serialNumber: newSerialNumber(),
    signingAlgorithm: algorithm,
    notBefore: new Date(clock.now()),
    notAfter: new Date(clock.now() + 365 * dayMs),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const lines = der.match(/.{1,64}/g)?.join('\n');
  return { certificate: toPem(certificate), key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n` };
}
