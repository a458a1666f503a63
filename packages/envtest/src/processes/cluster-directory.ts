import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Clock } from '@flotilla/kube';
import { EnvtestError } from '../errors.ts';
import { commandLine, isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';

const prefix = 'flotilla-envtest-';
const ownerFile = 'owner.json';
/** A directory without owner is either being made this moment or half removed; after this time it is the latter. */
const ownerlessMs = 60 * 60 * 1000;

/** The private directory of a cluster: a new temporary one, or the given one if no living process uses it. */
export async function openClusterDirectory(kept?: string): Promise<string> {
  const directory = kept === undefined ? await mkdtemp(join(tmpdir(), prefix)) : resolve(kept);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const owner = await readOwner(directory);
  if (owner && isAlive(owner)) {
    throw new EnvtestError('InvalidOption', `data directory ${directory} is in use by process ${owner.pid}`);
  }
  await killOrphans(directory);
  await writeFile(join(directory, ownerFile), JSON.stringify(ownIdentity()), { mode: 0o600 });
  return directory;
}

/** Lets others use a directory that is kept. */
export const releaseClusterDirectory = (directory: string): Promise<void> =>
  rm(join(directory, ownerFile), { force: true });

/**
 * Ends the processes and removes the directories of owners that died together with their watchdog,
 * which only a crash of the machine or a SIGKILL of both can do. Answers what was removed.
 */
export async function sweepStaleDirectories(clock: Clock, parent = tmpdir()): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true });
  const removed: string[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory() || !entry.name.startsWith(prefix)) continue;
    const directory = join(parent, entry.name);
    if (!(await isStale(directory, clock))) continue;
    await killOrphans(directory);
    // Another process may sweep at the same time, or the directory may be another user's.
    const gone = await rm(directory, { recursive: true, force: true }).then(
      () => true,
      () => false,
    );
    if (gone) removed.push(directory);
  }
  return removed;
}

async function isStale(directory: string, clock: Clock): Promise<boolean> {
  const owner = await readOwner(directory);
  if (owner) return !isAlive(owner);
  try {
    return clock.now() - (await stat(directory)).mtimeMs > ownerlessMs;
  } catch {
    return false;
  }
}

/** Kills processes by the numbers they left, if these still belong to something that works in that directory. */
async function killOrphans(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((one) => one.endsWith('.pid'))) {
    const pid = Number.parseInt(await readFile(join(directory, name), 'utf8').catch(() => ''), 10);
    if (pid > 1 && commandLine(pid)?.includes(directory)) process.kill(pid, 'SIGKILL');
  }
}

async function readOwner(directory: string): Promise<ProcessIdentity | undefined> {
  try {
    const owner: Partial<ProcessIdentity> = JSON.parse(await readFile(join(directory, ownerFile), 'utf8'));
    const { pid, started, host } = owner;
    return pid && started && host ? { pid, started, host } : undefined;
  } catch {
    return undefined;
  }
}
