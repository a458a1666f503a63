import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { configMaps, leases } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { type BareServer, startBareServer } from './bare-server.ts';
import { openShell, type Shell, type ShellProgram } from './shell.ts';

const pollOptions = { timeout: 45_000, interval: 200 };

/** The lines of a command's output for the user to paste. */
const pasted = (out: string, start: string): string[] =>
  out
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith(start));

const clusterInfoOf = ({ access: { server, ca = '' } }: BareServer) => ({
  metadata: { name: 'cluster-info', namespace: 'kube-public' },
  data: {
    kubeconfig: JSON.stringify({
      clusters: [{ name: '', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    }),
  },
});

const shop = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shop }
`;

/** Resolves when the garbage collector has been at work after this call: it has collected a dependent of a deleted owner. */
async function whenCollected(client: KubeClient): Promise<void> {
  const handle = client.resource(configMaps);
  const namespace = 'default';
  const owner = await handle.create({ metadata: { name: 'owner', namespace } });
  const uid = owner.metadata?.uid ?? '';
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await handle.create({ metadata: { name: 'dependent', namespace, ownerReferences } });
  await handle.delete('default/owner');
  await expect.poll(() => handle.find('default/dependent'), pollOptions).toBeUndefined();
}

describe.each(serverKinds)('the command line on %s', { timeout: 120_000 }, (kind) => {
  let directory: string;
  let shell: Shell;
  let hub: BareServer;
  let managed: BareServer;
  let before: { hub: string[]; managed: string[] };
  let joinCommand: string;
  let controllerCommand: string;
  const programs: ShellProgram[] = [];
  const start = (line: string) => {
    const program = shell.start(line);
    programs.push(program);
    return program;
  };
  const onHub = (line: string) => shell.run(`flotilla ${line} --kubeconfig ${hub.kubeconfig}`);
  const onManaged = (line: string) => shell.run(`flotilla ${line} --kubeconfig ${managed.kubeconfig}`);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-lifecycle-'));
    shell = await openShell(directory);
    [hub, managed] = await Promise.all([
      startBareServer(kind, 'hub', directory),
      startBareServer(kind, 'managed', directory),
    ]);
    // As kubeadm writes it: where the cluster is, for others.
    await managed.client.resource(configMaps).create(clusterInfoOf(managed));
    before = { hub: await listAllObjects(hub.client), managed: await listAllObjects(managed.client) };
  });
  afterAll(async () => {
    for (const program of programs) await program[Symbol.asyncDispose]();
    await hub?.[Symbol.asyncDispose]();
    await managed?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true });
  });

  it('makes a hub, twice, and starts it by what init prints [cli A23]', async () => {
    const webhooks = `--webhook-url https://127.0.0.1:${kind === 'embedded' ? 19443 : 19444}`;
    expect(await onHub(`init ${webhooks}`)).toMatchObject({ code: 0 });
    const { code, out } = await onHub(`init ${webhooks}`);
    expect(code).toBe(0);
    const commands = pasted(out, process.execPath);
    expect(commands).toHaveLength(2);
    [controllerCommand = ''] = commands;
    for (const command of commands) start(command);
    [joinCommand = ''] = pasted(out, 'flotilla join');
    expect(joinCommand).toContain(' --hub-ca-hash sha256:');
    expect(await onHub(`init ${webhooks} --wait --timeout 60`)).toMatchObject({ code: 0 });
  });

  it('leads again at once when the hub was killed and is started again', async () => {
    const holder = async () =>
      (await hub.client.resource(leases).get('open-cluster-management-hub/registration-controller-lock')).spec
        ?.holderIdentity;
    const before = await holder();
    const controller = programs.shift();
    await controller?.[Symbol.asyncDispose]();
    start(controllerCommand);
    // A third of what the lease lasts.
    await expect.poll(holder, pollOptions).not.toBe(before);
  });

  it('joins by the printed command, which runs the agent, and accepts it [cli A31, A32, A38]', async () => {
    const join_ = `${joinCommand.replace('<cluster_name>', 'c1')} --kubeconfig ${managed.kubeconfig}`;
    const agent = start(`${join_} --singleton --klusterlet-annotation foo=bar --run`);
    const accepted = await onHub('accept --clusters c1 --wait --timeout 60');
    expect(accepted, `${accepted.err}\n${agent.said}`).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await onHub('get clusters')).out, pollOptions)
      .toMatch(/^c1 +true +True +True +default /m);
    expect((await onHub('get clusters -o yaml')).out).toContain('agent.open-cluster-management.io/foo: bar');
    expect((await onHub('get clusters -o yaml')).out).toContain(`url: ${managed.access.server}\n`);
    expect(agent.said).toMatch(
      /requested a certificate from the hub: request c1-\w+, fingerprint sha256:[0-9a-f]{64}\n/,
    );
    expect(agent.said).toContain('The agent of c1 has joined');
  });

  it('runs the agent again without a token, and brings a cluster back that the hub removed by joining again', async () => {
    const agent = programs.at(-1);
    agent?.interrupt();
    expect((await agent?.ended)?.err).toContain('To run the agent again: flotilla join --cluster-name c1 --run');
    const again = start(`flotilla join --cluster-name c1 --run --kubeconfig ${managed.kubeconfig}`);
    await expect.poll(() => again.said, pollOptions).toContain('The agent of c1 has joined');
    expect(again.said).not.toContain('accept --clusters');

    await hub.client.resource(managedClusters).delete('c1');
    await expect.poll(() => again.said, pollOptions).toContain('the cluster c1 was removed from the hub');
    const [command = ''] = pasted((await onHub('get token')).out, 'flotilla join');
    const rejoin = `${command.replace('<cluster_name>', 'c1')} --kubeconfig ${managed.kubeconfig}`;
    expect(await shell.run(`${rejoin} --klusterlet-annotation foo=bar --wait --timeout 60`)).toMatchObject({ code: 0 });
    expect(await onHub('accept --clusters c1 --wait --timeout 60')).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await onHub('get clusters')).out, pollOptions)
      .toMatch(/^c1 +true +True +True +default /m);
  });

  it('joins and accepts again without a change', async () => {
    const again = `${joinCommand.replace('<cluster_name>', 'c1')} --kubeconfig ${managed.kubeconfig}`;
    expect(await shell.run(`${again} --singleton --klusterlet-annotation foo=bar --wait`)).toMatchObject({ code: 0 });
    const { out } = await onHub('accept --clusters c1 -o json');
    expect(JSON.parse(out)).toEqual([{ cluster: 'c1', changes: [], dryRun: false }]);
    expect(await onManaged('get klusterlet-info')).toMatchObject({
      out: expect.stringMatching(/c1 +Singleton .*yes +yes/),
    });
  });

  it('sends no token to a server that is not the one of the join command', async () => {
    const wrong = joinCommand.replace(/sha256:.{8}/, 'sha256:00000000').replace('<cluster_name>', 'c1');
    expect(await shell.run(`${wrong} --kubeconfig ${managed.kubeconfig}`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('preflight check "certificate of the hub" failed'),
    });
  });

  it('takes the cluster out on both sides and leaves nothing on it; its agent ends', async () => {
    const { code, out, err } = await onManaged(
      `unjoin --cluster-name c1 --hub-kubeconfig ${hub.kubeconfig} --timeout 60`,
    );
    expect([code, out], err).toEqual([0, expect.stringContaining('Removed ManagedCluster c1 from the hub')]);
    const agent = programs.at(-1);
    expect(await agent?.ended).toMatchObject({
      code: 0,
      err: expect.stringContaining('Cluster c1 was removed from the hub.'),
    });
    expect((await onHub('get clusters -o name')).out).toBe('');
    expect(await listAllObjects(managed.client)).toEqual(before.managed);
  });

  it('cleans the hub, and leaves nothing on it', async () => {
    expect(await onHub('clean')).toMatchObject({ code: 3, err: expect.stringContaining('the hub still runs') });
    for (const program of programs) program.interrupt();
    for (const program of programs) expect((await program.ended).code).toBe(0);
    const { code, out, err } = await onHub('clean --timeout 60');
    expect([code, out], err).toEqual([0, expect.stringContaining('Removed Namespace open-cluster-management-hub')]);
    expect(await listAllObjects(hub.client)).toEqual(before.hub);
    expect((await onHub('get clusters')).code).toBe(3);
  });

  it('takes a cluster out by force although its hub and its agent are dead, and leaves what works applied', async () => {
    const { out: initialized } = await onHub('init');
    const [controller = ''] = pasted(initialized, process.execPath);
    start(controller);
    const [fresh = ''] = pasted((await onHub('get token --use-bootstrap-token')).out, 'flotilla join');
    expect(fresh).toContain('--hub-token ocmhub.');
    const agent = start(`${fresh.replace('<cluster_name>', 'c1')} --kubeconfig ${managed.kubeconfig} --run`);
    const accepted = await onHub('accept --clusters c1 --wait --timeout 60');
    expect(accepted, `${accepted.err}\n${agent.said}`).toMatchObject({ code: 0 });
    await writeFile(join(directory, 'shop.yaml'), shop);
    const given = await onHub('create work shop -f shop.yaml --clusters c1 --wait --timeout 60');
    expect(given, `${given.err}\n${agent.said}`).toMatchObject({ code: 0 });

    await agent[Symbol.asyncDispose]();
    await hub[Symbol.asyncDispose]();
    const { code, out, err } = await onManaged(`unjoin --cluster-name c1 --hub-kubeconfig ${hub.kubeconfig} --force`);
    expect([code, err]).toEqual([0, expect.stringContaining('ManagedCluster c1 stays there')]);
    expect(out).toContain('Left configmaps shop/settings\n');
    await whenCollected(managed.client);
    const left = (await listAllObjects(managed.client)).filter((object) => !before.managed.includes(object));
    expect(left).toEqual(['ConfigMap shop/settings', 'Namespace shop']);
    const { metadata } = await managed.client.resource(configMaps).get('shop/settings');
    expect([metadata?.ownerReferences, metadata?.deletionTimestamp]).toEqual([undefined, undefined]);
  });
});
