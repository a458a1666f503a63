import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '@flotilla/kube';
import { isAlive, ownIdentity, type ProcessIdentity } from '../processes/process-identity.ts';

/** What a lock is taken with. */
export interface MachineLockOptions {
  path: string;
  clock: Clock;
  /** Called once when another process holds the lock. */
  onWait: (owner: ProcessIdentity) => void;
}

/** Runs `work` while no other process of this machine runs under the same lock file. A dead owner's lock is taken over. */
export async function withMachineLock<T>(options: MachineLockOptions, work: () => Promise<T>): Promise<T> {
  const own = JSON.stringify({ ...ownIdentity(), nonce: randomBytes(8).toString('hex') });
  let reported = false;
  while (!(await tryLock(options.path, own))) {
    const held = await readLock(options.path);
    if (held.owner && isAlive(held.owner)) {
      if (!reported) options.onWait(held.owner);
      reported = true;
      await options.clock.sleep(1000);
    } else if (held.text !== undefined) {
      await removeStale(options.path, held.text);
    }
  }
  try {
    return await work();
  } finally {
    await rm(options.path, { force: true });
  }
}

/** A hard link appears whole or not at all, and never replaces what is there. */
async function tryLock(path: string, content: string): Promise<boolean> {
  const candidate = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(candidate, content, { mode: 0o600, flag: 'wx' });
  try {
    await link(candidate, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(candidate);
  }
}

async function readLock(path: string): Promise<{ text?: string; owner?: ProcessIdentity }> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return {};
  }
  try {
    const owner: Partial<ProcessIdentity> = JSON.parse(text);
    const { pid, started, host } = owner;
    return pid && started && host ? { text, owner: { pid, started, host } } : { text };
  } catch {
    return { text };
  }
}

/** Two processes may find the same stale lock: only the one that renamed exactly this lock file has removed it. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}.stale`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  // Another process has taken the lock meanwhile: give it back.
  if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}
