import { X509Certificate } from 'node:crypto';
import { createInformers, realClock } from '@flotilla/kube';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import { createAuthority, generateKeys, keyAlgorithm, loadX509 } from '@flotilla/kube/pki';
import { describe, expect, it } from 'vitest';
import { openCaches } from '../caches/caches.ts';
import { defineAddon } from '../definition/define-addon.ts';
import { customSigner, kubeClient } from '../definition/registration.ts';
import { enableProbe, type OneAddon, stopAfterEach } from '../fixtures/one-addon.ts';
import { signWith } from './sign-with.ts';

stopAfterEach();

const kubeSigner = 'kubernetes.io/kube-apiserver-client';
const user = 'system:open-cluster-management:cluster:c1:addon:probe:agent:probe-agent';
const groups = ['system:open-cluster-management:cluster:c1:addon:probe', 'system:open-cluster-management:addon:probe'];
const dnsName = 'probe.addon.open-cluster-management.io';
const clusterAgent = 'system:open-cluster-management:c1:agent';
const pushAgents = 'system:serviceaccount:open-cluster-management-hub:push-agents-sa';
const grpcServer = 'system:serviceaccount:open-cluster-management-hub:grpc-server-sa';

interface Request {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
  readonly units?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly requester?: string;
  readonly signerName?: string;
  readonly cluster?: string;
  readonly name?: string;
  readonly annotations?: Record<string, string>;
}

/** Sends a request in the name of a requester, and returns its name. */
async function send({ plane, quiet }: OneAddon, given: Request = {}): Promise<string> {
  const { commonName = user, organizations = groups, requester = clusterAgent, signerName = kubeSigner } = given;
  const { cluster = 'c1', name = 'addon-c1-probe-x', annotations, units = [], dnsNames = [dnsName] } = given;
  const x509 = await loadX509();
  const literal = (text: string) => [{ utf8String: text }];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: new x509.Name([
      ...organizations.map((group) => ({ O: literal(group) })),
      ...units.map((unit) => ({ OU: literal(unit) })),
      { CN: literal(commonName) },
    ]).toJSON(),
    keys: await generateKeys(),
    signingAlgorithm: keyAlgorithm,
    extensions: [new x509.SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value })))],
  });
  const labels = {
    'open-cluster-management.io/cluster-name': cluster,
    'open-cluster-management.io/addon-name': 'probe',
  };
  const client = plane.clientOf({ name: requester, groups: ['system:masters'] });
  await client.resource(certificateSigningRequests).create({
    metadata: { name, labels, ...(annotations && { annotations }) },
    spec: {
      request: Buffer.from(request.toString('pem')).toString('base64'),
      signerName,
      usages: ['digital signature', 'key encipherment', 'client auth'],
    },
  });
  await quiet();
  return name;
}

const approvalOf = async ({ hub }: OneAddon, name: string) =>
  (await hub.requests.get(name)).status?.conditions?.map(
    ({ type, reason, message }) => `${type} ${reason}: ${message}`,
  ) ?? [];
const approved = ['Approved AutoApprovedByHubCSRApprovingController: Auto approving addon agent certificate.'];

const expectApproval = (probe: OneAddon, name: string) => expect.poll(() => approvalOf(probe, name)).toEqual(approved);

describe('a request for a certificate of the hub', () => {
  const start = () => enableProbe([], { registration: [kubeClient()] });

  it.each<[string, Request, string[]]>([
    ['of the agent is approved', {}, approved],
    [
      'with the group of all authenticated users is approved',
      { organizations: [...groups, 'system:authenticated'] },
      approved,
    ],
    [
      'by the gRPC server for the cluster is approved',
      { requester: grpcServer, annotations: { 'open-cluster-management.io/csr-user': clusterAgent } },
      approved,
    ],
    [
      'by the gRPC server for another cluster waits',
      {
        requester: grpcServer,
        annotations: { 'open-cluster-management.io/csr-user': 'system:open-cluster-management:c2:agent' },
      },
      [],
    ],
    ['of the agents of pushed clusters waits, since this one has an agent of its own', { requester: pushAgents }, []],
    ['of another cluster waits', { requester: 'system:open-cluster-management:c2:agent' }, []],
    [
      'of a cluster whose name begins the same waits [addons Q11]',
      { requester: 'system:open-cluster-management:c10:agent' },
      [],
    ],
    ['for another user waits', { commonName: 'system:admin' }, []],
    ['without a group waits', { organizations: groups.slice(1) }, []],
    ['with another group waits', { organizations: [...groups, 'administrators'] }, []],
    ['that is not named as those of agents waits', { name: 'other' }, []],
  ])('[addons 114] %s', async (_, request, expected) => {
    const probe = await start();
    const name = await send(probe, request);
    // Keys are checked outside the event loop: when the one that is sent later is approved, the first one was looked at.
    await expectApproval(probe, await send(probe, { name: 'addon-later' }));
    expect(await approvalOf(probe, name)).toEqual(expected);
  });

  it('of what runs the agents of pushed clusters is approved on such a cluster, for its own add-on and no other', async () => {
    const probe = await start();
    const labels = { 'open-cluster-management.io/cluster-mode': 'Push' };
    await probe.hub.clusters.patch('c1', { type: 'merge', body: { metadata: { labels } } });
    const requester = pushAgents;
    const foreign = user.replace('cluster:c1', 'cluster:c2');
    const foreignGroups = groups.map((group) => group.replace('cluster:c1', 'cluster:c2'));
    const others = [
      await send(probe, { requester, name: 'addon-user', commonName: foreign }),
      await send(probe, { requester, name: 'addon-groups', organizations: foreignGroups }),
      await send(probe, { requester, name: 'addon-agent', commonName: clusterAgent }),
      await send(probe, { requester, name: 'addon-cluster', cluster: 'c2' }),
    ];
    await expectApproval(probe, await send(probe, { requester }));
    for (const name of others) expect([name, await approvalOf(probe, name)]).toEqual([name, []]);
  });

  it('is kept in memory without its body', async () => {
    const probe = await start();
    const note = 'x'.repeat(200_000);
    for (const name of ['addon-1', 'addon-2']) await send(probe, { name, annotations: { note } });
    using informers = createInformers({ client: probe.plane.client, clock: realClock });
    const definition = defineAddon({ name: 'probe', registration: [kubeClient()], render: () => [] });
    const { registration } = openCaches(informers, definition, {});
    await registration?.requests.whenSynced();
    expect(registration?.requests.list()).toHaveLength(2);
    expect(JSON.stringify(registration?.requests.list()).length).toBeLessThan(4000);
    await expectApproval(probe, 'addon-2');
  });

  it('[addons 115] is not signed by the add-on', async () => {
    const probe = await start();
    const name = await send(probe);
    await expectApproval(probe, name);
    await probe.quiet();
    expect(probe.takeWrites().filter((write) => write.endsWith('/status') && write.includes(name))).toEqual([]);
  });

  it('[addons 116] that is decided, or of no cluster or add-on, is left alone', async () => {
    const probe = await start();
    const name = await send(probe, { cluster: 'c2', requester: 'system:open-cluster-management:c2:agent' });
    expect(await approvalOf(probe, name)).toEqual([]);
    await probe.addCluster('c2');
    await probe.hub.requests.patch(name, { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } });
    await probe.quiet();
    expect(await approvalOf(probe, name)).toEqual([]);
    const denied = await send(probe, { name: 'addon-denied', requester: 'nobody' });
    const request = await probe.hub.requests.get(denied);
    const condition = { type: 'Denied', status: 'True', reason: 'No', message: 'no' };
    await probe.hub.requests
      .subresource<typeof request>('approval')
      .replace({ ...request, status: { conditions: [condition] } });
    await probe.quiet();
    expect(await approvalOf(probe, denied)).toEqual(['Denied No: no']);
  });

  it('is approved as the definition says', async () => {
    const probe = await enableProbe([], {
      registration: [kubeClient({ approve: ({ request }) => request.spec.username === 'somebody' })],
    });
    expect(await approvalOf(probe, await send(probe))).toEqual([]);
    await expectApproval(probe, await send(probe, { name: 'addon-2', requester: 'somebody' }));
  });
});

describe('a request for a certificate of another signer', () => {
  const signerName = 'example.com/signer';

  it('[addons 115, Q20] is approved for its cluster and signed', async () => {
    const clock = { now: () => Date.now() };
    const authority = await createAuthority('test', clock);
    const sign = signWith({ authority: () => authority, durationMs: 60_000, clock });
    const probe = await enableProbe([], { registration: [customSigner({ signerName, sign })] });
    const foreign = await send(probe, { signerName, name: 'addon-foreign', requester: 'somebody' });
    const name = await send(probe, { signerName });
    await expectApproval(probe, name);
    expect(await approvalOf(probe, foreign)).toEqual([]);
    await expect.poll(async () => (await probe.hub.requests.get(name)).status?.certificate).toBeTypeOf('string');
    const pem = Buffer.from((await probe.hub.requests.get(name)).status?.certificate ?? '', 'base64');
    const certificate = new X509Certificate(pem);
    expect(certificate.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
    expect(certificate.subject).toContain(`CN=${user}`);
    expect(certificate.subjectAltName).toBe('DNS:probe.addon.open-cluster-management.io');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    // It begins five minutes earlier, for clocks that are behind.
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(60_000 + 300_000);
  });

  const subject = { user: 'u', groups: ['g', 'h'], organizationUnits: ['ou'] };
  const defaultUser = user.replace(/probe-agent$/, 'probe');
  it.each<[string, typeof subject | { groups: string[] } | undefined, Request, string[]]>([
    ['for the default subject is approved', undefined, {}, approved],
    ['for the told subject is approved', subject, { commonName: 'u', organizations: ['g'], units: ['ou'] }, approved],
    [
      'for the default user where none is told is approved',
      { groups: ['g'] },
      { commonName: defaultUser, organizations: ['g'] },
      approved,
    ],
    [
      'with the group of all authenticated users is approved',
      subject,
      { commonName: 'u', organizations: ['system:authenticated'] },
      approved,
    ],
    ['for another user waits', undefined, { commonName: user.replace('c1', 'c2') }, []],
    ['with another group waits', subject, { commonName: 'u', organizations: ['g', 'administrators'] }, []],
    ['with another unit waits', subject, { commonName: 'u', organizations: ['g'], units: ['other'] }, []],
    ['with the name of a server waits', undefined, { dnsNames: [dnsName, 'server.example'] }, []],
    ['of another cluster waits', undefined, { requester: 'system:open-cluster-management:c2:agent' }, []],
  ])('[addons 115, Q20] %s', async (_, told, request, expected) => {
    const probe = await enableProbe([], {
      registration: [customSigner({ signerName, ...(told && { subject: told }) })],
    });
    const name = await send(probe, { signerName, ...request });
    const later = told ? { commonName: 'user' in told ? told.user : defaultUser, organizations: [] } : {};
    await expectApproval(probe, await send(probe, { signerName, name: 'addon-later', ...later }));
    expect(await approvalOf(probe, name)).toEqual(expected);
  });

  it.each(['kubernetes.io/kube-apiserver-client', 'kubernetes.io/kubelet-serving', 'open-cluster-management.io/grpc'])(
    '[addons Q20] waits if the signer is %s, which says who somebody is on the hub',
    async (hubSigner) => {
      const probe = await enableProbe([], {
        registration: [
          customSigner({ signerName: hubSigner, approve: () => true, sign: () => 'signed' }),
          customSigner({ signerName }),
        ],
      });
      const name = await send(probe, { signerName: hubSigner });
      await expectApproval(probe, await send(probe, { signerName, name: 'addon-later' }));
      expect(await approvalOf(probe, name)).toEqual([]);
    },
  );

  it('[addons Q20] is signed with no DNS name but that of the add-on', async () => {
    const clock = { now: () => Date.now() };
    const authority = await createAuthority('test', clock);
    const sign = signWith({ authority: () => authority, clock });
    const probe = await enableProbe([], { registration: [customSigner({ signerName, sign, approve: () => true })] });
    const name = await send(probe, { signerName, dnsNames: ['server.example', dnsName] });
    await expect.poll(async () => (await probe.hub.requests.get(name)).status?.certificate).toBeTypeOf('string');
    const pem = Buffer.from((await probe.hub.requests.get(name)).status?.certificate ?? '', 'base64');
    expect(new X509Certificate(pem).subjectAltName).toBe(`DNS:${dnsName}`);
  });

  it('is not signed by an authority that has ended', async () => {
    const authority = await createAuthority('old', { now: () => 0 });
    const probe = await enableProbe([], { registration: [customSigner({ signerName })] });
    const name = await send(probe, { signerName });
    const request = await probe.hub.requests.get(name);
    const cluster = await probe.hub.clusters.get('c1');
    const addon = await probe.hub.addons.get('c1/probe');
    const context = { cluster, addon, configs: {}, mode: 'Default' as const, signal: new AbortController().signal };
    await expect(signWith({ authority: () => authority })({ request, context })).rejects.toThrow(
      'the signing CA ended at',
    );
  });
});
