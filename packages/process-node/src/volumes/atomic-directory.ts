import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file of a volume. */
export interface VolumeFile {
  readonly content: Buffer;
  readonly mode: number;
}

/** Files of a volume by their path in it. */
export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

const dataLink = '..data';
/** Processes run as this user, so that other users need no access; and secrets are among the files. */
const ownerOnly = 0o700;

/**
 * A directory whose files change all at once, as a kubelet does it: names link into `..data`, which links to a directory with the
 * files and is replaced by a rename. A reader sees the old files or the new ones, never some of each.
 */
export class AtomicDirectory {
  readonly path: string;
  #written: VolumeFiles | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Writes the files unless they are there already; whether something changed. */
  async write(files: VolumeFiles): Promise<boolean> {
    if (this.#written && isSame(this.#written, files)) return false;
    await mkdir(this.path, { recursive: true, mode: ownerOnly });
    const version = `..${randomBytes(8).toString('hex')}`;
    for (const [path, { content, mode }] of files) {
      const file = join(this.path, version, path);
      await mkdir(dirname(file), { recursive: true, mode: ownerOnly });
      await writeFile(file, content, { mode: mode & ownerOnly });
    }
    await mkdir(join(this.path, version), { recursive: true, mode: ownerOnly });
    await symlink(version, join(this.path, `${version}.link`));
    await rename(join(this.path, `${version}.link`), join(this.path, dataLink));
    await this.#link(new Set([...files.keys()].map((path) => path.split('/')[0] ?? path)), version);
    this.#written = files;
    return true;
  }

  /** Makes the visible names, and removes those of earlier versions with their files. */
  async #link(names: ReadonlySet<string>, version: string): Promise<void> {
    const present = new Set(await readdir(this.path));
    for (const name of names) if (!present.has(name)) await symlink(join(dataLink, name), join(this.path, name));
    for (const name of present) {
      if (name === dataLink || name === version || names.has(name)) continue;
      if (name.startsWith('..')) await rm(join(this.path, name), { recursive: true, force: true });
      else await unlink(join(this.path, name));
    }
  }
}

function isSame(left: VolumeFiles, right: VolumeFiles): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([path, file]) => {
    const other = right.get(path);
    return other !== undefined && other.mode === file.mode && other.content.equals(file.content);
  });
}
