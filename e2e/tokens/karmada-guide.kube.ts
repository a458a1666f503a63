import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import { configMaps, namespaces, secrets } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BareServer, startBareServer } from '../cli/bare-server.ts';
import { openShell, type Shell, type ShellProgram } from '../cli/shell.ts';
import { serverKinds } from '../registration/servers.ts';

const pollOptions = { timeout: 60_000, interval: 200 };

const shop = `
apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shop }
`;

// The page "Cluster Registration" of Karmada, its part about Pull mode: command by command, with karmadactl replaced by flotilla.
describe.each(serverKinds)('Karmada’s guide to pull mode, on %s', { timeout: 180_000 }, (kind) => {
  let directory: string;
  let shell: Shell;
  let hub: BareServer;
  let member: BareServer;
  let before: string[];
  let registerCommand: string;
  let agent: ShellProgram;
  const programs: ShellProgram[] = [];
  const start = (line: string) => {
    const program = shell.start(line);
    programs.push(program);
    return program;
  };
  const onHub = (line: string) => shell.run(`flotilla ${line} --kubeconfig ${hub.kubeconfig}`);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-karmada-'));
    shell = await openShell(directory);
    [hub, member] = await Promise.all([
      startBareServer(kind, 'hub', directory),
      startBareServer(kind, 'member3', directory),
    ]);
    before = await listAllObjects(member.client);
    const { out } = await onHub('init');
    const [controller = ''] = out
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith(process.execPath));
    start(controller);
    expect(await onHub('init --wait --timeout 60')).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    for (const program of programs) await program[Symbol.asyncDispose]();
    await hub?.[Symbol.asyncDispose]();
    await member?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true });
  });

  it('creates a token and prints the command', async () => {
    const { code, out, err } = await onHub('token create --print-register-command');
    expect(code, err).toBe(0);
    registerCommand = out.trim();
    expect(registerCommand).toMatch(
      /^flotilla register 127\.0\.0\.1:\d+ --token \w{6}\.\w{16} --discovery-token-ca-cert-hash sha256:[0-9a-f]{64}$/,
    );
    const { out: list } = await onHub('token list');
    const [id = '', secret = ''] = /--token (\w{6})\.(\w{16})/.exec(registerCommand)?.slice(1) ?? [];
    expect(list).toContain(id);
    expect(list).not.toContain(secret);
  });

  it('has the same signature as the signer of the control plane', async () => {
    const [, id = ''] = /--token (\w{6})\./.exec(registerCommand) ?? [];
    const infos = hub.client.resource(configMaps);
    const read = async () => (await infos.get('kube-public/cluster-info')).data?.[`jws-kubeconfig-${id}`];
    const ours = await read();
    expect(ours).toMatch(/^[\w-]+\.\.[\w-]+$/);
    // Taken away, the signer writes it again.
    const body = { data: { [`jws-kubeconfig-${id}`]: null } };
    await infos.patch('kube-public/cluster-info', { type: 'merge', body });
    await expect.poll(read, pollOptions).toBe(ours);
  });

  it('executes the command on the member, under the name of its cluster in the kubeconfig', async () => {
    const checks = await shell.run(`${registerCommand} --kubeconfig ${member.kubeconfig} --dry-run -o json`);
    expect([checks.code, JSON.parse(checks.out).passed], checks.err).toEqual([0, true]);
    expect(await listAllObjects(member.client)).toEqual(before);
    agent = start(`${registerCommand} --kubeconfig ${member.kubeconfig} --run`);
    // Double opt-in: a token is not an acceptance.
    const accepted = await onHub('accept --clusters member3 --wait --timeout 60');
    expect(accepted, `${accepted.err}\n${agent.said}`).toMatchObject({ code: 0 });
  });

  it('shows the cluster as registered, in mode Pull', async () => {
    await expect
      .poll(async () => (await onHub('get clusters')).out, pollOptions)
      .toMatch(/^member3 +true +True +True +/m);
    expect((await onHub('get clusters')).out).toMatch(/^member3 .*Pull/m);
    // As Karmada's spec.id.
    const kubeSystem = await member.client.resource(namespaces).get('kube-system');
    const { metadata } = await hub.client.resource(managedClusters).get('member3');
    const identity = 'agent.open-cluster-management.io/cluster-identity';
    expect(metadata?.annotations).toMatchObject({ [identity]: kubeSystem.metadata?.uid });
  });

  it('unregisters it: works first, and every object on the member is as before', async () => {
    await writeFile(join(directory, 'shop.yaml'), shop);
    const work = await onHub('create work shop -f shop.yaml --clusters member3 --wait --timeout 60');
    expect(work, `${work.err}\n${agent.said}`).toMatchObject({ code: 0 });
    expect(await member.client.resource(configMaps).find('shop/settings')).toBeDefined();
    const flags = `--cluster-kubeconfig ${member.kubeconfig} --cluster-context member3 --karmada-config ${hub.kubeconfig} --karmada-context hub`;
    const { code, out, err } = await shell.run(`flotilla unregister member3 ${flags} --wait 60s`);
    expect([code, out], err).toEqual([0, expect.stringContaining('Removed ManagedCluster member3 from the hub')]);
    expect(err).toMatch(/Removed ManifestWork member3\/shop from the hub/);
    expect(await agent.ended).toMatchObject({ code: 0 });
    expect((await onHub('get clusters -o name')).out).toBe('');
    await expect.poll(() => listAllObjects(member.client), pollOptions).toEqual(before);
  });

  it('deletes the token', async () => {
    const [, id = ''] = /--token (\w{6})\./.exec(registerCommand) ?? [];
    expect(await onHub(`token delete ${id}`)).toMatchObject({ code: 0, out: `bootstrap token "${id}" deleted\n` });
    expect(await hub.client.resource(secrets).find(`kube-system/bootstrap-token-${id}`)).toBeUndefined();
    const again = await shell.run(`${registerCommand} --kubeconfig ${member.kubeconfig} --discovery-timeout 1s`);
    expect(again).toMatchObject({
      code: 4,
      err: expect.stringContaining('flotilla token create --print-register-command'),
    });
  });
});
