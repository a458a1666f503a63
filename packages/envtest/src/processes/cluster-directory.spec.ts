import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { realClock } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import { openClusterDirectory, releaseClusterDirectory, sweepStaleDirectories } from './cluster-directory.ts';
import { ownIdentity } from './process-identity.ts';

const clock = new FakeClock();
const deadOwner = JSON.stringify({ ...ownIdentity(), started: 'never' });

const parentWith = (name: string, files: Record<string, string>) => {
  const parent = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
  const directory = join(parent, name);
  mkdirSync(directory);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text);
  return { parent, directory };
};

test('a temporary directory is private and says who owns it', async () => {
  const directory = await openClusterDirectory();
  expect(dirname(directory)).toBe(tmpdir());
  expect(basename(directory)).toMatch(/^flotilla-envtest-/);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(JSON.parse(readFileSync(join(directory, 'owner.json'), 'utf8'))).toEqual(ownIdentity());
  rmSync(directory, { recursive: true });
});

test('a kept directory is refused while its owner lives, and taken over afterwards', async () => {
  const { directory } = parentWith('data', {});
  expect(await openClusterDirectory(directory)).toBe(directory);
  await expect(openClusterDirectory(directory)).rejects.toThrow(`in use by process ${process.pid}`);
  writeFileSync(join(directory, 'owner.json'), deadOwner);
  expect(await openClusterDirectory(directory)).toBe(directory);
  await releaseClusterDirectory(directory);
  expect(await openClusterDirectory(directory)).toBe(directory);
});

test('the directory of a dead owner goes, with the processes that still work in it', async () => {
  const { parent, directory } = parentWith('flotilla-envtest-1', { 'owner.json': deadOwner });
  const orphan = spawn('/bin/sh', ['-c', `while :; do sleep 1; done # ${directory}`], { stdio: 'ignore' });
  writeFileSync(join(directory, 'etcd.pid'), `${orphan.pid}\n`);
  const exited = once(orphan, 'exit');
  expect(await sweepStaleDirectories(clock, parent)).toEqual([directory]);
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(existsSync(directory)).toBe(false);
});

test('a number that now belongs to something else is not killed', async () => {
  const { parent, directory } = parentWith('flotilla-envtest-1', { 'owner.json': deadOwner });
  const unrelated = spawn('sleep', ['600'], { stdio: 'ignore' });
  writeFileSync(join(directory, 'etcd.pid'), `${unrelated.pid}\n`);
  await sweepStaleDirectories(clock, parent);
  expect(unrelated.signalCode).toBeNull();
  unrelated.kill();
  expect(await once(unrelated, 'exit')).toEqual([null, 'SIGTERM']);
});

test.each<[string, string, Record<string, string>]>([
  ['of a living owner', 'flotilla-envtest-1', { 'owner.json': JSON.stringify(ownIdentity()) }],
  [
    'of another machine',
    'flotilla-envtest-1',
    { 'owner.json': JSON.stringify({ pid: 1, started: '1', host: 'other' }) },
  ],
  ['being made this moment', 'flotilla-envtest-1', {}],
  ['of another program', 'flotilla', { 'owner.json': deadOwner }],
])('a directory %s stays', async (_what, name, files) => {
  const { parent, directory } = parentWith(name, files);
  expect(await sweepStaleDirectories(realClock, parent)).toEqual([]);
  expect(existsSync(directory)).toBe(true);
});

test('a directory without owner goes after an hour', async () => {
  const { parent, directory } = parentWith('flotilla-envtest-1', {});
  utimesSync(directory, clock.now() / 1000, clock.now() / 1000);
  expect(await sweepStaleDirectories(new FakeClock(clock.now() + 3_600_001), parent)).toEqual([directory]);
});
