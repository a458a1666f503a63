import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What `up` writes into its directory when all clusters are ready: what scripts need to know about a fleet. */
export interface ReadyFleet {
  readonly directory: string;
  /** Paths by the name of the cluster. */
  readonly kubeconfigs: Readonly<Record<string, string>>;
}

const fileOf = (directory: string): string => join(directory, 'ready.json');

/** The fleet of a directory. */
export async function readyFleet(directory: string): Promise<ReadyFleet> {
  const folder = join(directory, 'kubeconfigs');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const kubeconfigs = Object.fromEntries(names.map((name) => [name.replace(/\.yaml$/, ''), join(folder, name)]));
  return { directory, kubeconfigs };
}

/** Says that the fleet of a directory is ready. Renamed into place, so that no reader sees half of it. */
export async function writeReadyFile(fleet: ReadyFleet): Promise<void> {
  const path = fileOf(fleet.directory);
  await writeFile(`${path}.new`, `${JSON.stringify(fleet, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Undefined until the fleet is ready. */
export async function readReadyFile(directory: string): Promise<ReadyFleet | undefined> {
  try {
    return JSON.parse(await readFile(fileOf(directory), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the file of an earlier fleet, or of one that ends. */
export const removeReadyFile = (directory: string): Promise<void> => rm(fileOf(directory), { force: true });
