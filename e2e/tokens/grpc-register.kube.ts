import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { klusterlets, managedClusters, NamespaceName } from '@flotilla/api-types';
import { findFreePort } from '@flotilla/envtest';
import { configMaps, secrets } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BareServer, startBareServer } from '../cli/bare-server.ts';
import { openShell, type Shell, type ShellProgram } from '../cli/shell.ts';
import { serverKinds } from '../registration/servers.ts';
import { type GrpcRelay, type GrpcRelayOptions, startGrpcRelay } from './grpc-relay.ts';

const pollOptions = { timeout: 60_000, interval: 200 };
const bundleKey = `${NamespaceName.Hub}/ca-bundle-configmap`;

describe.each(serverKinds)('on %s, a cluster that reaches the gRPC server only', { timeout: 120_000 }, (kind) => {
  let directory: string;
  let shell: Shell;
  let hub: BareServer;
  let member: BareServer;
  let address: string;
  let command: string;
  let agent: ShellProgram;
  const programs: ShellProgram[] = [];
  const onHub = (line: string) => shell.run(`flotilla ${line} --kubeconfig ${hub.kubeconfig}`);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-grpc-register-'));
    shell = await openShell(directory);
    [hub, member] = await Promise.all([
      startBareServer(kind, 'hub', directory),
      startBareServer('embedded', 'member3', directory),
    ]);
    address = `127.0.0.1:${await findFreePort()}`;
    const drivers = `--registration-drivers csr,grpc --grpc-server ${address}`;
    const { code, out, err } = await onHub(`init ${drivers}`);
    expect(code, err).toBe(0);
    const lines = out.split('\n').map((line) => line.trim());
    for (const line of lines.filter((text) => text.startsWith(process.execPath))) programs.push(shell.start(line));
    expect(programs).toHaveLength(2);
  });
  afterAll(async () => {
    for (const program of programs) await program[Symbol.asyncDispose]();
    await hub?.[Symbol.asyncDispose]();
    await member?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true });
  });

  it('gets its command from the hub', async () => {
    const create = () => onHub('token create --print-register-command --registration-auth grpc');
    // The controllers make the certificate of the server.
    await expect.poll(async () => (await create()).code, pollOptions).toBe(0);
    const { out } = await create();
    command = out.trim();
    expect(command).toMatch(
      new RegExp(
        `^flotilla register ${address} --token \\S+ --discovery-token-ca-cert-hash sha256:\\w{64} --registration-auth grpc$`,
      ),
    );
  });

  /** Runs it towards a relay, and expects that nothing is sent after a handshake, and nothing is changed. */
  const expectRefused = async (relay: GrpcRelay, message: RegExp) => {
    const before = await listAllObjects(member.client);
    const line = `${command.replace(address, relay.address)} --kubeconfig ${member.kubeconfig}`;
    const { code, err } = await shell.run(line);
    expect([code, err]).toEqual([3, expect.stringMatching(message)]);
    expect(err).not.toContain('DeprecationWarning');
    expect(relay.connections()).toBeGreaterThan(0);
    expect(relay.received()).toBe(0);
    expect(await listAllObjects(member.client)).toEqual(before);
  };

  const attacks: Record<string, (ca: string) => GrpcRelayOptions> = {
    'with a CA of its own': () => ({ caName: 'relay' }),
    'that shows the CA of the hub beside its own certificate': (ca) => ({ caName: 'relay', shown: ca }),
    'whose CA has the name of that of the hub, and shows that one': (ca) => ({
      caName: new X509Certificate(ca).subject.replace(/^.*CN=/s, ''),
      shown: ca,
    }),
  };
  it.each(Object.entries(attacks))('does not send the token to a relay %s', async (_, optionsOf) => {
    const ca = (await hub.client.resource(configMaps).get(bundleKey)).data?.['ca-bundle.crt'] ?? '';
    await using relay = await startGrpcRelay(address, optionsOf(ca));
    await expectRefused(relay, /so the token was not sent/);
  });

  it('does not send the token to the server itself if the hash is another', async () => {
    const wrong = command.replace(/sha256:.{8}/, 'sha256:00000000');
    expect(await shell.run(`${wrong} --kubeconfig ${member.kubeconfig}`)).toMatchObject({
      code: 3,
      err: expect.stringContaining('(--discovery-token-ca-cert-hash), so the token was not sent'),
    });
  });

  it('sends it to a relay that the user trusts: what was not seen above can be seen', async () => {
    await using relay = await startGrpcRelay(address, { caName: 'relay' });
    await writeFile(join(directory, 'relay.pem'), relay.ca);
    const [, token = ''] = /--token (\S+)/.exec(command) ?? [];
    const flags = `--registration-auth grpc --grpc-server ${relay.address} --grpc-ca-file relay.pem`;
    const { code, err } = await shell.run(
      `flotilla join --hub-token ${token} ${flags} --cluster-name member3 --kubeconfig ${member.kubeconfig} --dry-run`,
    );
    expect(code, err).toBe(0);
    expect(relay.received()).toBeGreaterThan(token.length);
  });

  it('registers by that command, is accepted, and knows nothing of the API server of the hub', async () => {
    agent = shell.start(`${command} --kubeconfig ${member.kubeconfig} --run`);
    programs.push(agent);
    const accepted = await onHub('accept --clusters member3 --wait --timeout 60');
    expect(accepted, `${accepted.err}\n${agent.said}`).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await onHub('get clusters')).out, pollOptions)
      .toMatch(/^member3 +true +True +True +/m);
    const { spec } = await member.client.resource(klusterlets).get('klusterlet');
    expect(spec?.registrationConfiguration?.registrationDriver).toEqual({ authType: 'grpc' });
    const { host } = new URL(hub.access.server);
    const { items } = await member.client.resource(secrets).list();
    const texts = items.flatMap(({ data }) => Object.values(data ?? {})).map((text) => atob(text));
    expect(texts.filter((text) => text.includes(host))).toEqual([]);
  });

  it('unregisters', async () => {
    const flags = `--cluster-kubeconfig ${member.kubeconfig} --karmada-config ${hub.kubeconfig}`;
    const { code, err } = await shell.run(`flotilla unregister member3 ${flags} --wait 60s`);
    expect(code, err).toBe(0);
    expect(await agent.ended).toMatchObject({ code: 0 });
    expect(await hub.client.resource(managedClusters).find('member3')).toBeUndefined();
  });
});
