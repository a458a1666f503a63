import { appendFile, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstValueFrom } from 'rxjs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, createAuthority } from '../client/fixtures/pki.ts';
import { realClock } from '../clock/real-clock.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import type { AccessSource, ClusterAccess } from './access.ts';
import { inClusterAccess } from './in-cluster-access.ts';
import { kubeconfigAccess } from './kubeconfig-access.ts';
import { formatKubeconfig, kubeconfigFor, writeKubeconfig } from './kubeconfig-document.ts';
import { LastGoodAccess } from './last-good-access.ts';

const sources: AccessSource[] = [];
let authority: Authority;

beforeAll(async () => {
  authority = await createAuthority();
});

afterEach(() => {
  for (const source of sources.splice(0)) source.close();
});

function open(files: string | string[], context?: string): AccessSource {
  const source = kubeconfigAccess({ files, clock: realClock, env: {}, ...(context && { context }) });
  sources.push(source);
  return source;
}

const token = (value: string): ClusterAccess => ({
  server: 'https://hub',
  authorization: `Bearer ${value}`,
  origin: '',
});
const changed = (source: AccessSource) => firstValueFrom(source.changes);
const authorization = async (source: AccessSource) => (await source.current()).authorization;

/** A kubeconfig whose user has its credentials in files beside it. */
const withFiles = (user: object) =>
  JSON.stringify({
    'current-context': 'x',
    clusters: [{ name: 'x', cluster: { server: 'https://hub' } }],
    users: [{ name: 'x', user }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
  });

describe('access from a kubeconfig on disk', () => {
  it('changes when the file is written in place', async () => {
    await using directory = await temporaryDirectory();
    const file = await directory.write('config', formatKubeconfig(kubeconfigFor(token('one'))));
    const source = open(file);
    expect(await authorization(source)).toBe('Bearer one');
    const change = changed(source);
    await writeFile(file, formatKubeconfig(kubeconfigFor(token('two'))));
    await change;
    expect(await authorization(source)).toBe('Bearer two');
  });

  it('notifies all its clients of a change that one of them caused to be read', async () => {
    let answer = token('one');
    const source = new LastGoodAccess({ load: async () => answer, clock: new FakeClock() });
    sources.push(source);
    await source.current();
    const other = changed(source);
    answer = token('two');
    source.invalidate();
    expect((await source.current()).authorization).toBe('Bearer two');
    await other;
  });

  it('changes although another file of the directory is written all the time', async () => {
    await using directory = await temporaryDirectory();
    const file = await directory.write('config', formatKubeconfig(kubeconfigFor(token('one'))));
    const source = open(file);
    await source.current();
    const busy = new AbortController();
    const writing = (async () => {
      while (!busy.signal.aborted) {
        await appendFile(join(directory.path, 'log'), 'x');
        await realClock.sleep(5);
      }
    })();
    const change = changed(source);
    await writeFile(file, formatKubeconfig(kubeconfigFor(token('two'))));
    await change;
    busy.abort();
    await writing;
    expect(await authorization(source)).toBe('Bearer two');
  });

  it('changes when the file is replaced by renaming, and again after that', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'config');
    await writeKubeconfig(file, kubeconfigFor(token('one')));
    const source = open(file);
    await source.current();
    for (const value of ['two', 'three']) {
      const change = changed(source);
      await writeKubeconfig(file, kubeconfigFor(token(value)));
      await change;
      expect(await authorization(source)).toBe(`Bearer ${value}`);
    }
  });

  it('keeps the last good one while the file is gone, says so, and takes the new one', async () => {
    await using directory = await temporaryDirectory();
    const file = await directory.write('deep/config', formatKubeconfig(kubeconfigFor(token('one'))));
    const source = open(file);
    await source.current();
    const error = firstValueFrom(source.errors);
    await rm(join(directory.path, 'deep'), { recursive: true });
    expect((await error).message).toMatch(/^Config: .*ENOENT/);
    expect(await authorization(source)).toBe('Bearer one');
    const change = changed(source);
    await directory.write('deep/config', formatKubeconfig(kubeconfigFor(token('two'))));
    await change;
    expect(await authorization(source)).toBe('Bearer two');
  });

  it('follows the swap of a symbolic link by which the kubelet updates a mounted volume', async () => {
    await using directory = await temporaryDirectory();
    await directory.write('..one/token', 'one');
    await symlink('..one', join(directory.path, '..data'));
    await symlink('..data/token', join(directory.path, 'token'));
    const source = open(await directory.write('config', withFiles({ tokenFile: 'token' })));
    expect(await authorization(source)).toBe('Bearer one');
    const change = changed(source);
    await directory.write('..two/token', 'two');
    await symlink('..two', join(directory.path, '..data_tmp'));
    await rename(join(directory.path, '..data_tmp'), join(directory.path, '..data'));
    await change;
    expect(await authorization(source)).toBe('Bearer two');
  });

  it('follows the swap of a link to the directory that holds all files', async () => {
    await using directory = await temporaryDirectory();
    await directory.write('one/config', formatKubeconfig(kubeconfigFor(token('one'))));
    await directory.write('two/config', formatKubeconfig(kubeconfigFor(token('two'))));
    const link = join(directory.path, 'current');
    await symlink('one', link);
    const source = open(join(link, 'config'));
    expect(await authorization(source)).toBe('Bearer one');
    const change = changed(source);
    await symlink('two', `${link}.new`);
    await rename(`${link}.new`, link);
    await change;
    expect(await authorization(source)).toBe('Bearer two');
  });

  it('changes certificate and key together, never to one of each', async () => {
    await using directory = await temporaryDirectory();
    const [old, next] = await Promise.all([authority.issue(), authority.issue()]);
    await directory.write('tls.crt', old.certificate);
    await directory.write('tls.key', old.key);
    const source = open(
      await directory.write('config', withFiles({ 'client-certificate': 'tls.crt', 'client-key': 'tls.key' })),
    );
    expect((await source.current()).clientCertificate).toEqual(old);
    const error = firstValueFrom(source.errors);
    await directory.write('tls.crt', next.certificate);
    expect((await error).message).toContain('does not belong to its client certificate');
    expect((await source.current()).clientCertificate).toEqual(old);
    const change = changed(source);
    await directory.write('tls.key', next.key);
    await change;
    expect((await source.current()).clientCertificate).toEqual(next);
  });

  it('becomes available when the file that was missing appears', async () => {
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'later', 'config');
    const source = open(file);
    await expect(source.current()).rejects.toThrow(/^Config: .*ENOENT/);
    const change = changed(source);
    await mkdir(join(directory.path, 'later'));
    await writeKubeconfig(file, kubeconfigFor(token('one')));
    await change;
    expect(await authorization(source)).toBe('Bearer one');
  });

  it('reads again after a 401', async () => {
    await using directory = await temporaryDirectory();
    const file = await directory.write('config', formatKubeconfig(kubeconfigFor(token('one'))));
    const clock = new FakeClock();
    const source = kubeconfigAccess({ files: file, clock, env: {} });
    sources.push(source);
    await source.current();
    await writeFile(file, formatKubeconfig(kubeconfigFor(token('two'))));
    expect(await authorization(source)).toBe('Bearer one');
    source.invalidate();
    expect(await authorization(source)).toBe('Bearer two');
  });

  it('finds a change without an event by checking now and then', async () => {
    await using directory = await temporaryDirectory();
    const file = await directory.write('config', formatKubeconfig(kubeconfigFor(token('one'))));
    const clock = new FakeClock();
    const source = kubeconfigAccess({ files: file, clock, env: {} });
    sources.push(source);
    await source.current();
    await writeFile(file, formatKubeconfig(kubeconfigFor(token('two'))));
    const change = changed(source);
    // The debounce of events is on the fake clock too, and later than nothing: whichever comes first finds it.
    await clock.advance(30_000);
    await change;
    expect(await authorization(source)).toBe('Bearer two');
  });

  it('merges files of which some are absent, with paths relative to their own file', async () => {
    await using directory = await temporaryDirectory();
    await directory.write('b/token', 'from-b');
    const a = await directory.write('a/config', JSON.stringify({ 'current-context': 'x' }));
    const b = await directory.write('b/config', withFiles({ tokenFile: 'token' }));
    const source = open([join(directory.path, 'none'), a, b]);
    expect(await source.current()).toMatchObject({ authorization: 'Bearer from-b', origin: `${b} (context "x")` });
  });
});

describe('access of a pod', () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };

  it('has the token and CA of the service account, and follows their rotation', async () => {
    await using directory = await temporaryDirectory();
    await directory.write('token', 'one\n');
    await directory.write('ca.crt', authority.ca);
    const source = inClusterAccess({ clock: realClock, env, directory: directory.path });
    sources.push(source);
    expect(await source.current()).toMatchObject({
      server: 'https://[fd00::1]:443',
      ca: authority.ca,
      authorization: 'Bearer one',
    });
    const change = changed(source);
    await directory.write('token', 'two');
    await change;
    expect(await authorization(source)).toBe('Bearer two');
  });

  it('is refused elsewhere', async () => {
    const source = inClusterAccess({ clock: realClock, env: {} });
    await expect(source.current()).rejects.toThrow('Config: not in a pod');
  });
});
