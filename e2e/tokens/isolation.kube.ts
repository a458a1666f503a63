import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Label, ManagedClusterCondition, managedClusterSets, managedClusters } from '@flotilla/api-types';
import { createKubeClient, type KubeClient, KubeError, staticAccess } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests, configMaps, secrets } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { clusterSubject, createCertificateRequest, createKey } from '@flotilla/registration-core/certificates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BareServer, startBareServer } from '../cli/bare-server.ts';
import { openShell, type Shell, type ShellProgram } from '../cli/shell.ts';
import { type Call, callsOf, discoverAll } from '../registration/isolation.matrix.ts';
import { serverKinds } from '../registration/servers.ts';

const pollOptions = { timeout: 60_000, interval: 100 };
const atOnce = 40;
const token = 'jointo.0123456789abcdef';
const user = 'system:bootstrap:jointo';

describe.each(serverKinds)('on %s, a join token for cluster a', { timeout: 120_000 }, (kind) => {
  let directory: string;
  let shell: Shell;
  let hub: BareServer;
  let holder: KubeClient;
  const programs: ShellProgram[] = [];
  const onHub = (line: string) => shell.run(`flotilla ${line} --kubeconfig ${hub.kubeconfig}`);

  /** Asks for a certificate as an agent does; `label` is what it says, `cluster` what it wants. */
  const ask = async (cluster: string, label = cluster, as = holder): Promise<string> => {
    const subject = clusterSubject({ clusterName: cluster, agentName: 'agent' });
    const request = Buffer.from(await createCertificateRequest(createKey(), subject)).toString('base64');
    const created = await as.resource(certificateSigningRequests).create({
      metadata: { generateName: `${cluster}-`, labels: { [Label.ClusterName]: label } },
      spec: {
        request,
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    });
    return created.metadata?.name ?? '';
  };
  const statusOf = async (name: string): Promise<CertificateSigningRequest['status']> =>
    (await hub.client.resource(certificateSigningRequests).get(name)).status;
  const isIssued = async (name: string) => Boolean((await statusOf(name))?.certificate);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-tokens-'));
    shell = await openShell(directory);
    hub = await startBareServer(kind, 'hub', directory);
    const gates = '--feature-gates ManagedClusterAutoApproval=true';
    // The strongest case: its holder needs no administrator.
    const { code, out, err } = await onHub(`init ${gates} --auto-approved-csr-identities ${user}`);
    expect(code, err).toBe(0);
    const [controller = ''] = out
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith(process.execPath));
    programs.push(shell.start(controller));
    expect(await onHub(`init --wait --timeout 60 ${gates} --auto-approved-csr-identities ${user}`)).toMatchObject({
      code: 0,
    });
    await hub.client.resource(managedClusterSets).create({ metadata: { name: 'edge' }, spec: {} });
    const created = await onHub(`token create ${token} --cluster-name a --cluster-set edge --max-uses 1 --ttl 10m`);
    expect(created, created.err).toMatchObject({ code: 0, out: `${token}\n` });
    const { server, ca } = hub.access;
    holder = createKubeClient({
      access: staticAccess({ server, ...(ca && { ca }), authorization: `Bearer ${token}`, origin: 'a join token' }),
    });
  });
  afterAll(async () => {
    await holder?.close();
    for (const program of programs) await program[Symbol.asyncDispose]();
    await hub?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true });
  });

  it('is refused, call by call, all but what registering a takes', { timeout: 300_000 }, async () => {
    const calls = callsOf(await discoverAll(hub.client), {
      namespaces: ['kube-system', 'kube-public', 'default', 'open-cluster-management', 'open-cluster-management-hub'],
      names: { managedclusters: ['a', 'b'] },
    });
    const allowed: string[] = [];
    const queue = calls.values();
    const isAllowed = async ({ method, path, body }: Call): Promise<boolean> => {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      try {
        await holder.transport.request({
          method,
          path,
          headers: { 'content-type': contentType },
          ...(body && { body }),
        });
        return true;
      } catch (error) {
        const { status } = KubeError.from(error);
        if (status === undefined || status === 401 || status >= 500) throw error;
        return status !== 403;
      }
    };
    const work = async () => {
      for (const call of queue) if (await isAllowed(call)) allowed.push(`${call.method} ${call.path.split('?')[0]}`);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const about = new Set(
      allowed.filter((call) => !call.includes('/authorization.k8s.io/') && !call.includes('/authentication.k8s.io/')),
    );
    console.log(`${kind}: ${calls.length} calls, ${allowed.length} allowed:\n${[...about].sort().join('\n')}`);
    expect(calls.length).toBeGreaterThan(400);
    const clusters = '/apis/cluster.open-cluster-management.io/v1/managedclusters';
    const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    for (const call of about) {
      const isOwn = call === `GET ${clusters}/a` || call === `POST ${clusters}`;
      const isRequest = call.startsWith(`GET ${requests}`) || call === `POST ${requests}`;
      const isPublic =
        /^GET \/api\/v1\/namespaces\/(kube-public|open-cluster-management-hub)\/configmaps\/[\w.-]+$/.test(call);
      expect([call, isOwn || isRequest || isPublic]).toEqual([call, true]);
    }
    expect([...about].filter((call) => call.includes('/b') || call.includes('secrets'))).toEqual([]);
  });

  it('reads and watches a, and neither b nor the list of clusters', async () => {
    const clusters = holder.resource(managedClusters);
    expect((await clusters.list({ fieldSelector: 'metadata.name=a' })).items).toEqual([]);
    await expect(clusters.list()).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(clusters.list({ fieldSelector: 'metadata.name=b' })).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('creates neither b, nor a in another set, nor one that accepts itself', async () => {
    const clusters = holder.resource(managedClusters);
    await expect(clusters.create({ metadata: { name: 'b' }, spec: {} })).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('holds a join token for another cluster'),
    });
    await expect(clusters.create({ metadata: { generateName: 'a' }, spec: {} })).rejects.toMatchObject({
      code: 'Forbidden',
    });
    const labels = { [Label.ClusterSet]: 'global' };
    await expect(clusters.create({ metadata: { name: 'a', labels }, spec: {} })).rejects.toMatchObject({
      code: 'Forbidden',
    });
    const accepting = { metadata: { name: 'a' }, spec: { hubAcceptsClient: true } };
    await expect(clusters.create(accepting)).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('obtains a certificate for a, once, and never one for b', async () => {
    await holder.resource(managedClusters).create({ metadata: { name: 'a' }, spec: { hubAcceptsClient: false } });
    const forged = [await ask('b'), await ask('b', 'a'), await ask('a', 'b')];
    const first = await ask('a');
    await expect.poll(() => isIssued(first), pollOptions).toBe(true);
    // The token works until its cluster has joined, so that an agent that was cut off still reads its certificate. It gives no second one.
    const late = await ask('a').catch((error: unknown) => KubeError.from(error).code);
    await reportJoined('a');
    await expect
      .poll(() => hub.client.resource(secrets).find('kube-system/bootstrap-token-jointo'), pollOptions)
      .toBeUndefined();
    await expect
      .poll(
        () =>
          ask('a').then(
            () => 'asked',
            (error: unknown) => KubeError.from(error).code,
          ),
        pollOptions,
      )
      .toBe('Unauthorized');
    for (const name of forged) expect([name, await statusOf(name)]).toEqual([name, {}]);
    if (!['Unauthorized', 'Forbidden'].includes(late)) expect(await statusOf(late)).toEqual({});
    // Nor does the command line, for an administrator who accepts a again.
    await onHub('accept --clusters a');
    for (const name of forged) expect([name, await isIssued(name)]).toEqual([name, false]);
    expect(await hub.client.resource(configMaps).find('open-cluster-management-hub/join-token-jointo')).toBeUndefined();
  });

  /** Reports what the agent of a cluster reports once it uses its certificate. */
  const reportJoined = (name: string) => {
    const condition = {
      type: ManagedClusterCondition.Joined,
      status: 'True',
      reason: 'ManagedClusterJoined',
      message: '',
      lastTransitionTime: formatTime(Date.now()),
    };
    return hub.client
      .resource(managedClusters)
      .status.patch(name, { type: 'merge', body: { status: { conditions: [condition] } } });
  };

  it('put a into its set', async () => {
    const setOf = async () =>
      (await hub.client.resource(managedClusters).get('a')).metadata?.labels?.[Label.ClusterSet];
    await expect.poll(setOf, pollOptions).toBe('edge');
  });

  it('ends in time, with its rights and its signature', async () => {
    const { out } = await onHub('token create --cluster-name soon --ttl 2s');
    const id = out.slice(0, 6);
    await expect
      .poll(async () => {
        const { data } = await hub.client.resource(configMaps).get('kube-public/cluster-info');
        const stored = await hub.client.resource(secrets).find(`kube-system/bootstrap-token-${id}`);
        const role = (await onHub('token list -o json')).out.includes(id);
        return [stored, data?.[`jws-kubeconfig-${id}`], role];
      }, pollOptions)
      .toEqual([undefined, undefined, false]);
  });
});
