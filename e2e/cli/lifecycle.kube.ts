import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configMaps } from '@flotilla/kube';
import { everything } from '@flotilla/kube/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { type BareServer, startBareServer } from './bare-server.ts';
import { openShell, type Shell, type ShellProgram } from './shell.ts';

const patience = { timeout: 45_000, interval: 200 };

/** The lines that a command tells the user to paste. */
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

describe.each(serverKinds)('the command line on %s', { timeout: 120_000 }, (kind) => {
  let directory: string;
  let shell: Shell;
  let hub: BareServer;
  let managed: BareServer;
  let before: { hub: string[]; managed: string[] };
  let invitation: string;
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
    before = { hub: await everything(hub.client), managed: await everything(managed.client) };
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
    const commands = pasted(out, 'node ');
    expect(commands).toHaveLength(2);
    for (const command of commands) start(command);
    [invitation = ''] = pasted(out, 'flotilla join');
    expect(invitation).toContain(' --hub-ca-hash sha256:');
    expect(await onHub(`init ${webhooks} --wait --timeout 60`)).toMatchObject({ code: 0 });
  });

  it('joins by the printed command, which runs the agent, and accepts it [cli A31, A32, A38]', async () => {
    const join_ = `${invitation.replace('<cluster_name>', 'c1')} --kubeconfig ${managed.kubeconfig}`;
    const agent = start(`${join_} --singleton --klusterlet-annotation foo=bar --run`);
    const accepted = await onHub('accept --clusters c1 --wait --timeout 60');
    expect(accepted, `${accepted.err}\n${agent.said}`).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await onHub('get clusters')).out, patience)
      .toMatch(/^c1 +true +True +True +default /m);
    expect((await onHub('get clusters -o yaml')).out).toContain('agent.open-cluster-management.io/foo: bar');
    expect((await onHub('get clusters -o yaml')).out).toContain(`url: ${managed.access.server}\n`);
    expect(agent.said).toContain('The agent of c1 is in');
  });

  it('joins and accepts again without a change', async () => {
    const again = `${invitation.replace('<cluster_name>', 'c1')} --kubeconfig ${managed.kubeconfig}`;
    expect(await shell.run(`${again} --singleton --klusterlet-annotation foo=bar --wait`)).toMatchObject({ code: 0 });
    const { out } = await onHub('accept --clusters c1 -o json');
    expect(JSON.parse(out)).toEqual([{ cluster: 'c1', changes: [], dryRun: false }]);
    expect(await onManaged('get klusterlet-info')).toMatchObject({
      out: expect.stringMatching(/c1 +Singleton .*yes +yes/),
    });
  });

  it('sends no token to a server that is not the one of the join command', async () => {
    const wrong = invitation.replace(/sha256:.{8}/, 'sha256:00000000').replace('<cluster_name>', 'c1');
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
    expect(await agent?.ended).toMatchObject({ code: 0, err: expect.stringContaining('was taken out of the hub') });
    expect((await onHub('get clusters -o name')).out).toBe('');
    expect(await everything(managed.client)).toEqual(before.managed);
  });

  it('cleans the hub, and leaves nothing on it', async () => {
    expect(await onHub('clean')).toMatchObject({ code: 3, err: expect.stringContaining('the hub still runs') });
    for (const program of programs) program.interrupt();
    for (const program of programs) expect((await program.ended).code).toBe(0);
    const { code, out, err } = await onHub('clean --timeout 60');
    expect([code, out], err).toEqual([0, expect.stringContaining('Removed Namespace open-cluster-management-hub')]);
    expect(await everything(hub.client)).toEqual(before.hub);
    expect((await onHub('get clusters')).code).toBe(3);
  });

  it('takes a cluster out by force although its hub is dead', async () => {
    await onHub('init');
    const [fresh = ''] = pasted((await onHub('get token --use-bootstrap-token')).out, 'flotilla join');
    expect(fresh).toContain('--hub-token ocmhub.');
    const joined = await shell.run(`${fresh.replace('<cluster_name>', 'c1')} --kubeconfig ${managed.kubeconfig}`);
    expect(joined, joined.err).toMatchObject({ code: 0 });
    await hub[Symbol.asyncDispose]();
    const { code, err } = await onManaged(`unjoin --cluster-name c1 --hub-kubeconfig ${hub.kubeconfig} --force`);
    expect([code, err]).toEqual([0, expect.stringContaining('ManagedCluster c1 stays there')]);
    expect(await everything(managed.client)).toEqual(before.managed);
  });
});
