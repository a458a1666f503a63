import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { makeDataDirectory } from './data-directory.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';

/** The data directory, or one that goes away with the process. */
export async function openFleetDirectory(
  dataDir: string | undefined,
): Promise<AsyncDisposable & { readonly path: string }> {
  if (dataDir !== undefined) {
    const path = resolve(dataDir);
    await makeDataDirectory(path);
    return { path, async [Symbol.asyncDispose]() {} };
  }
  const path = await makeTemporaryDirectory();
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
