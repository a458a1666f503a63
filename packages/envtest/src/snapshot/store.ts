import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@flotilla/kube';
import { writePrivateFile } from '../pki/private-file.ts';
import type { Entry } from './entries.ts';

/** One with Flotilla's CRDs has 0.4 MiB. The suites of a project need a few, and definitions that differ in each run leave some behind. */
const maxKept = 20;

/** Hex of SHA-256. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The snapshot of this name, if it is there and whole. */
export async function readSnapshot(root: string, name: string, clock: Clock): Promise<readonly Entry[] | undefined> {
  const path = join(root, name);
  try {
    const text = await readFile(path, 'utf8');
    const end = text.indexOf('\n');
    const content = text.slice(end + 1);
    if (text.slice(0, end) !== digest(content)) return undefined;
    // The time of its last use decides which ones are removed. A cache may be for reading only.
    const now = clock.now() / 1000;
    await utimes(path, now, now).catch(() => {});
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** Puts a snapshot in its place as a whole, and removes those that were not used for longest. */
export async function writeSnapshot(root: string, name: string, entries: readonly Entry[]): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const content = JSON.stringify(entries);
  await writePrivateFile(join(root, name), `${digest(content)}\n${content}`);
  const files = await Promise.all((await readdir(root)).map((file) => lastUse(join(root, file))));
  const newestFirst = files.sort((a, b) => b.usedMs - a.usedMs);
  for (const { path } of newestFirst.slice(maxKept)) await rm(path, { force: true });
}

/** Another process may remove it meanwhile. */
const lastUse = async (path: string): Promise<{ path: string; usedMs: number }> => ({
  path,
  usedMs: await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  ),
});
