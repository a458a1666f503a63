import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where keys and certificates are kept, by file name. */
export interface KeyStore {
  read(name: string): Promise<string | undefined>;
  write(name: string, content: string): Promise<void>;
}

/** Keeps them as long as the process lives. */
export function memoryKeyStore(): KeyStore {
  const contents = new Map<string, string>();
  return {
    read: async (name) => contents.get(name),
    async write(name, content) {
      contents.set(name, content);
    },
  };
}

/** Keeps them in a directory that only its owner may enter, each file written whole or not at all. */
export async function directoryKeyStore(directory: string): Promise<KeyStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // It may have been there before, with other permissions.
  await chmod(directory, 0o700);
  return {
    async read(name) {
      try {
        return await readFile(join(directory, name), 'utf8');
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(name, content) {
      const file = join(directory, name);
      const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
      await writeFile(temporary, content, { mode: 0o600, flag: 'wx' });
      await rename(temporary, file);
    },
  };
}
