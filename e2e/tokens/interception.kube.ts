import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signatureKey, signDetached } from '@flotilla/kube/bootstrap-token';
import { configMaps } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BareServer, startBareServer } from '../cli/bare-server.ts';
import { openShell, type Shell } from '../cli/shell.ts';
import { serverKinds } from '../registration/servers.ts';
import { type ClusterInfo, type Relay, startRelay } from './relay.ts';

const infoPath = '/api/v1/namespaces/kube-public/configmaps/cluster-info';

describe.each(serverKinds)('on %s, between a cluster and its hub', { timeout: 60_000 }, (kind) => {
  let directory: string;
  let shell: Shell;
  let hub: BareServer;
  let member: BareServer;
  let relay: Relay;
  let token: { id: string; secret: string };
  let words: { register: string; join: string };
  let before: string[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-relay-'));
    shell = await openShell(directory);
    hub = await startBareServer(kind, 'hub', directory);
    member = await startBareServer('embedded', 'member', directory);
    relay = await startRelay(hub.access.server);
    expect(await shell.run(`flotilla init --kubeconfig ${hub.kubeconfig}`)).toMatchObject({ code: 0 });
    const { out } = await shell.run(
      `flotilla token create --print-register-command --print-join-command --kubeconfig ${hub.kubeconfig}`,
    );
    const [register = '', join_ = ''] = out.split('\n');
    const [, id = '', secret = ''] = /--token (\w{6})\.(\w{16})/.exec(register) ?? [];
    token = { id, secret };
    const { host } = new URL(hub.access.server);
    words = {
      register: `${register.replace(host, relay.address)} --cluster-name c1 --kubeconfig ${member.kubeconfig}`,
      join: `${join_.replace(host, relay.address).replace('<cluster_name>', 'c1')} --kubeconfig ${member.kubeconfig}`,
    };
    before = await listAllObjects(member.client);
  });
  beforeEach(() => {
    relay.requests.length = 0;
    relay.forge = (info) => info;
  });
  afterAll(async () => {
    await relay?.[Symbol.asyncDispose]();
    await hub?.[Symbol.asyncDispose]();
    await member?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true });
  });

  /** Nothing was sent but questions about cluster-info, without credentials; and nothing was changed on the cluster. */
  const expectNoToken = async (questions: number) => {
    expect(relay.requests.map(({ path, authorization }) => [path, authorization])).toEqual(
      Array.from({ length: questions }, () => [infoPath, undefined]),
    );
    for (const { text } of relay.requests) expect(text).not.toContain(token.secret);
    expect(await listAllObjects(member.client)).toEqual(before);
  };

  /** With another CA, that of the relay. */
  const withOwnCa = (info: ClusterInfo): string =>
    (info.data.kubeconfig ?? '').replace(
      /certificate-authority-data: .*/,
      `certificate-authority-data: ${Buffer.from(relay.ca).toString('base64')}`,
    );
  const signedBy = (kubeconfig: string, secret: string) => ({
    kubeconfig,
    [signatureKey(token)]: signDetached(kubeconfig, { id: token.id, secret }),
  });

  const attacks: Record<string, [(info: ClusterInfo) => ClusterInfo['data'], string, string]> = {
    'a relay that puts in its own CA': [
      (info) => ({ ...info.data, kubeconfig: withOwnCa(info) }),
      'is not signed by this token',
      'is not signed by this token',
    ],
    'a relay that signs its own CA with a guess': [
      (info) => signedBy(withOwnCa(info), '0000000000000000'),
      'is not signed by this token',
      'is not signed by this token',
    ],
    'a relay that has the token, and signs its own CA': [
      (info) => signedBy(withOwnCa(info), token.secret),
      'is not the one that the join command names',
      'is not the one that the join command names',
    ],
    'a relay that takes the signature away and puts in its own CA': [
      (info) => ({ kubeconfig: withOwnCa(info) }),
      `has no key ${'jws-kubeconfig-'}`,
      'is not the one that the join command names',
    ],
  };
  it.each(Object.entries(attacks))('%s is refused before the token is sent', async (_, [forge, toRegister, toJoin]) => {
    relay.forge = (info) => ({ ...info, data: forge(info) });
    const registered = await shell.run(`${words.register} --discovery-timeout 0s`);
    expect(registered).toMatchObject({ err: expect.stringContaining(toRegister) });
    expect([3, 4]).toContain(registered.code);
    await expectNoToken(1);
    relay.requests.length = 0;
    const joined = await shell.run(words.join);
    expect(joined).toMatchObject({ code: 3, err: expect.stringContaining(toJoin) });
    await expectNoToken(1);
  });

  it('a relay that passes all on, and has a certificate of its own, is refused before the token is sent', async () => {
    for (const command of [words.register, words.join]) {
      relay.requests.length = 0;
      const { code, err } = await shell.run(command);
      expect([code, err]).toEqual([3, expect.stringContaining('so the token was not sent')]);
      // The second question is asked of a verified server only.
      await expectNoToken(1);
    }
  });

  it('a wrong hash is refused by the hub itself, too', async () => {
    const wrong = (command: string) => command.replace(/sha256:.{8}/, 'sha256:00000000');
    for (const command of [words.register, words.join]) {
      relay.requests.length = 0;
      expect(await shell.run(wrong(command))).toMatchObject({
        code: 3,
        err: expect.stringContaining('is not the one that the join command names'),
      });
      await expectNoToken(1);
    }
  });

  it('without a relay the same command passes', async () => {
    const { host } = new URL(hub.access.server);
    for (const command of [words.register, words.join]) {
      const { code, err } = await shell.run(`${command.replace(relay.address, host)} --dry-run`);
      expect(code, err).toBe(0);
    }
    const { data } = await hub.client.resource(configMaps).get('kube-public/cluster-info');
    expect(data).toHaveProperty(signatureKey(token));
  });
});
