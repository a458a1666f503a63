import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../client/fixtures/pki.ts';
import { realClock } from '../clock/real-clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../testing/temporary-directory.ts';
import type { ClusterAccess } from './access.ts';
import { ExecPlugin, type ExecPluginOptions } from './exec-plugin.ts';
import { Fields } from './fields.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const access: ClusterAccess = { server: 'https://hub', origin: '/k (context "c")' };

/** A plugin that is a shell script; `status` writes a credential with the status it is given. */
async function plugin(directory: TemporaryDirectory, body: string): Promise<string> {
  const script = `#!/bin/sh
status() { printf '{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":%s}' "$1"; }
${body}
`;
  const file = await directory.write('plugin', script);
  await chmod(file, 0o700);
  return file;
}

function run(
  exec: object,
  options: Partial<ExecPluginOptions> & { kubeconfigFile?: string; extension?: unknown } = {},
) {
  const { kubeconfigFile = '/k', extension, ...rest } = options;
  const runner = new ExecPlugin({ clock: realClock, env: { PATH: process.env.PATH }, ...rest });
  const fields = new Fields('exec of user "u" in /k', { apiVersion, interactiveMode: 'Never', ...exec });
  return { runner, get: () => runner.resolve(fields, { access, kubeconfigFile, clusterExtension: extension }) };
}

describe('an exec plugin', () => {
  it('gets arguments, environment and what it may know of the cluster', async () => {
    await using directory = await temporaryDirectory();
    await plugin(
      directory,
      `token=$(printf '%s|%s|%s' "$*" "$EXTRA" "$KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')
       status "{\\"token\\":\\"$token\\"}"`,
    );
    const { get } = run(
      { command: './plugin', args: ['a', 'b'], env: [{ name: 'EXTRA', value: 'x' }], provideClusterInfo: true },
      { kubeconfigFile: `${directory.path}/config`, extension: { audience: 'y' } },
    );
    const { authorization = '' } = await get();
    const [args, extra, info = ''] = Buffer.from(authorization.slice('Bearer '.length), 'base64').toString().split('|');
    expect([args, extra]).toEqual(['a b', 'x']);
    expect(JSON.parse(info)).toEqual({
      apiVersion,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://hub', config: { audience: 'y' } } },
    });
  });

  it('is asked again when its credential ends or was refused, and not before', async () => {
    await using directory = await temporaryDirectory();
    const counter = `${directory.path}/count`;
    const command = await plugin(
      directory,
      `printf x >> ${counter}
       status "{\\"token\\":\\"t$(wc -c < ${counter} | tr -d ' ')\\",\\"expirationTimestamp\\":\\"2026-01-01T01:00:00Z\\"}"`,
    );
    const clock = new FakeClock('2026-01-01T00:00:00Z');
    const { runner, get } = run({ command }, { clock });
    expect(await get()).toEqual({ authorization: 'Bearer t1', expiresAt: Date.parse('2026-01-01T00:59:50Z') });
    expect((await get()).authorization).toBe('Bearer t1');
    runner.forget();
    expect((await get()).authorization).toBe('Bearer t2');
    clock.jump(3_600_000);
    expect((await get()).authorization).toBe('Bearer t3');
  });

  it('may give a client certificate', async () => {
    await using directory = await temporaryDirectory();
    const pair = await (await createAuthority()).issue();
    const status = JSON.stringify({ clientCertificateData: pair.certificate, clientKeyData: pair.key });
    const { get } = run({ command: await plugin(directory, `status '${status}'`) });
    expect(await get()).toEqual({ clientCertificate: pair });
  });

  it.each([
    ['a failure', 'echo "log in first" >&2; exit 3', /failed with exit code 3: log in first$/],
    ['no JSON', 'echo hello', /wrote something that is not JSON$/],
    ['no credential', "status '{}'", /token is missing, and there is no certificate$/],
    ['half a certificate', `status '{"clientKeyData":"x"}'`, /must come together$/],
    ['a wrong time', `status '{"token":"t","expirationTimestamp":"soon"}'`, /expirationTimestamp is not a time$/],
    ['another version', `echo '{"kind":"ExecCredential","apiVersion":"x"}'`, /apiVersion must be /],
  ])('with %s names itself and the context', async (_what, body, message) => {
    await using directory = await temporaryDirectory();
    const { get } = run({ command: await plugin(directory, body) });
    await expect(get()).rejects.toThrow(message);
    await expect(get()).rejects.toThrow(/^Config: .*exec plugin .*\/plugin of \/k \(context "c"\)/);
  });

  it('that is not installed is an error that says how to install it', async () => {
    const { get } = run({ command: 'no-such-plugin', installHint: 'brew install it' });
    await expect(get()).rejects.toMatchObject({
      message: expect.stringContaining('the exec plugin no-such-plugin of /k (context "c") cannot be started'),
      hint: 'brew install it',
    });
  });

  it('is ended when it takes too long', async () => {
    await using directory = await temporaryDirectory();
    const clock = new FakeClock();
    const { get } = run({ command: await plugin(directory, 'exec sleep 60') }, { clock, timeoutMs: 1_000 });
    const answer = expect(get()).rejects.toThrow('did not finish within 1000 ms');
    await clock.advance(1_000);
    await answer;
  });

  it('is ended when the caller gives up, also if it waits for another program', async () => {
    await using directory = await temporaryDirectory();
    const started = `${directory.path}/started`;
    const { runner, get } = run({ command: await plugin(directory, `sleep 5 & : > ${started}; wait`) });
    const answer = expect(get()).rejects.toThrow('failed with signal SIGKILL');
    await expect.poll(() => existsSync(started)).toBe(true);
    runner.close();
    await answer;
  });

  it('that never stops writing is ended', async () => {
    await using directory = await temporaryDirectory();
    const { get } = run({ command: await plugin(directory, 'exec cat /dev/zero') });
    await expect(get()).rejects.toThrow('wrote more than 4194304 characters');
  });

  it.each([
    [
      { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' },
      'apiVersion is client.authentication.k8s.io/v1alpha1, which is not supported',
    ],
    [{ command: 'x', interactiveMode: 'Always' }, 'interactiveMode is Always, and standard input is not a terminal'],
    [{ command: 'x', interactiveMode: 'Maybe' }, 'interactiveMode must be Never, IfAvailable or Always'],
    [{}, 'command is missing'],
  ])('declared as %j is refused', async (exec, message) => {
    await expect(run(exec).get()).rejects.toThrow(`exec of user "u" in /k: ${message}`);
  });
});
