import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { describe, expect, it, vi } from 'vitest';
import { expectAllowedPath, expectMountable, expectWithin } from './mount-checks.ts';

describe('a mount', () => {
  it.each(['/usr/bin', '/usr', '/', '/etc', '/lib/x86_64-linux-gnu', '/etc/ld.so.preload', '/proc/sys', '/a/../bin'])(
    'is refused at %s, where the machine finds its programs',
    (path) => expect(() => expectMountable(path)).toThrow('the process node mounts nothing at'),
  );

  it.each([
    '/data',
    '/tmp',
    '/var/run/secrets/kubernetes.io/serviceaccount',
    '/etc/config',
    '/usr/share/x',
    '/library',
  ])('is made at %s', (path) => expect(() => expectMountable(path)).not.toThrow());

  it('is refused where the node finds programs of its own', () => {
    vi.stubEnv('PATH', '/usr/bin:/opt/tools/bin:relative:/srv/node_modules/.bin');
    for (const path of ['/opt/tools/bin', '/opt/tools/bin/kubectl']) {
      expect(() => expectMountable(path)).toThrow('programs of this machine are found by /opt/tools/bin');
    }
    for (const path of ['/opt', '/opt/data', '/srv', '/srv/node_modules/.bin'])
      expect(() => expectMountable(path)).not.toThrow();
    vi.unstubAllEnvs();
  });

  it('is refused where a link of the machine leads to programs', async () => {
    await using directory = await temporaryDirectory();
    const link = join(directory.path, 'link');
    await symlink('/usr', link);
    for (const path of [link, join(link, 'bin'), join(link, 'bin', 'not-there')]) {
      expect(() => expectMountable(path)).toThrow(`the process node mounts nothing at ${path}`);
    }
    expect(() => expectMountable(join(link, 'share', 'not-there'))).not.toThrow();
  });
});

describe('a directory of the machine', () => {
  it('is shown only if it is allowed, or one above it is', () => {
    expect(() => expectAllowedPath('/etc')).toThrow('hostPath /etc: the process node shows pods no such directory');
    expect(() => expectAllowedPath('/srv/data', ['/srv'])).not.toThrow();
    expect(() => expectAllowedPath('/srv-other', ['/srv'])).toThrow();
    expect(() => expectAllowedPath('/srv/../etc', ['/srv'])).toThrow();
    expect(() => expectAllowedPath('/etc', ['/'])).not.toThrow();
  });

  it('counts as what its links lead to', async () => {
    await using directory = await temporaryDirectory();
    await symlink('/etc', join(directory.path, 'link'));
    expect(() => expectAllowedPath(join(directory.path, 'link'), [directory.path])).toThrow();
  });
});

it('a part of a volume does not lead out of it by a link', async () => {
  await using directory = await temporaryDirectory();
  const volume = join(directory.path, 'volume');
  await mkdir(join(volume, 'inside'), { recursive: true });
  await symlink('/etc', join(volume, 'outside'));
  expect(() => expectWithin(join(volume, 'inside'), volume)).not.toThrow();
  expect(() => expectWithin(join(volume, 'outside'), volume)).toThrow('subPath outside leads out of its volume');
});
