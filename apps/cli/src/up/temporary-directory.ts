import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInUse } from './control-socket.ts';

/** The number of the process that made it is in its name. */
const namePattern = /^flotilla-up-(\d+)-\w{6}$/;

/** A directory for a fleet that is not kept. It holds keys, so those of processes that were killed are removed first. */
export async function makeTemporaryDirectory(parent = tmpdir()): Promise<string> {
  await removeResidual(parent);
  return mkdtemp(join(parent, `flotilla-up-${process.pid}-`));
}

async function removeResidual(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(namePattern.exec(name)?.[1]);
    const path = join(parent, name);
    if (Number.isInteger(pid) && !isAlive(pid) && (await isOurs(path)) && !(await isInUse(path))) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** Others may put things into a directory for temporary files; a link could lead anywhere. */
async function isOurs(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
