import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** What no program reads its sources from, or writes itself. */
const ignoredDirectories = ['node_modules', '.git', 'dist'];

/** What editors write beside a file that is open. */
const isTemporary = (name: string): boolean => /^\..*\.sw[px]$|~$|^\.#|\.subl.*\.tmp$/.test(name);

/** Whether a file or directory of this name means nothing to a program. */
export const isIgnored = (name: string): boolean => ignoredDirectories.includes(name) || isTemporary(name);

interface SavedFile {
  /** Differs after each save, however an editor saves. */
  readonly print: string;
  readonly changedNs: bigint;
}

/** The files of a directory and those below it, by their paths in it. */
export type SavedFiles = ReadonlyMap<string, SavedFile>;

/** A file that is deleted meanwhile is not there. */
const unlessMissing = (error: unknown): void => {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
};

/** Reads which files there are, without their contents. */
export async function savedFiles(root: string): Promise<SavedFiles> {
  const files = new Map<string, SavedFile>();
  const visit = async (directory: string): Promise<void> => {
    const entries = await readdir(directory, { withFileTypes: true });
    const read = entries
      .filter(({ name }) => !isIgnored(name))
      .map(async (entry) => {
        const path = join(directory, entry.name);
        if (entry.isDirectory()) return visit(path);
        const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
        files.set(relative(root, path), { print: `${ino} ${size} ${mtimeNs} ${ctimeNs}`, changedNs: ctimeNs });
      });
    await Promise.all(read.map((each) => each.catch(unlessMissing)));
  };
  await visit(root);
  return files;
}

/** What an author did in between: the file that was saved last, else a file that was removed. */
export function reportOf(before: SavedFiles, after: SavedFiles): string | undefined {
  let saved: [path: string, SavedFile] | undefined;
  for (const [path, file] of after) {
    if (before.get(path)?.print === file.print) continue;
    if (!saved || file.changedNs >= saved[1].changedNs) saved = [path, file];
  }
  if (saved) return `${saved[0]} was saved`;
  const removed = [...before.keys()].find((path) => !after.has(path));
  return removed === undefined ? undefined : `${removed} was removed`;
}
