import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A directory for one spec. */
export interface TemporaryDirectory extends AsyncDisposable {
  path: string;
  /** Writes a file below it and gives its path. */
  write(name: string, content: string): Promise<string>;
}

/** Makes an empty directory, readable by its owner only; disposing it removes it with its files. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'flotilla-kube-'));
  return {
    path,
    async write(name, content) {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
    },
  };
}
