import { access, chmod, constants, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@flotilla/kube';
import { startWatchdog, type Watchdog } from '../processes/watchdog.ts';
import { withMachineLock } from './machine-lock.ts';

/** `${XDG_CACHE_HOME:-~/.cache}/flotilla/<name>`; each version has a directory there. */
export const cacheOf = (name: string, env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'flotilla', name);

/** Where the binaries of Kubernetes are kept. */
export const cacheRoot = (env: NodeJS.ProcessEnv): string => cacheOf('kube', env);

/** Executable files that belong together, as a directory of the cache has them. */
export interface CacheEntry {
  /** The directory of all versions. */
  readonly root: string;
  /** Names the directory of this one. */
  readonly version: string;
  readonly files: readonly string[];
  /** What the files are, as their manifest must say: a part may move while the version stays. */
  readonly pins: Readonly<Record<string, string>>;
}

/** How the files of the cache came to be. */
export type CacheOrigin = 'build' | 'download';

/** An entry that is there and complete. */
export interface Cached {
  readonly directory: string;
  readonly origin: CacheOrigin;
}

/** What it takes to fill the cache. */
export interface FillOptions {
  readonly origin: CacheOrigin;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Writes the files into an empty directory. */
  produce(directory: string, watchdog: Watchdog): Promise<void>;
}

const manifestFile = 'manifest.json';

/** The entry, if all its files are there, as they are pinned and, if that matters, of the right origin. */
export async function findCached(entry: CacheEntry, origin?: CacheOrigin): Promise<Cached | undefined> {
  const directory = join(entry.root, entry.version);
  let manifest: Readonly<Record<string, string>> & { origin: CacheOrigin };
  try {
    manifest = JSON.parse(await readFile(join(directory, manifestFile), 'utf8'));
  } catch {
    return undefined;
  }
  if (Object.entries(entry.pins).some(([name, value]) => manifest[name] !== value)) return undefined;
  if (origin && manifest.origin !== origin) return undefined;
  const missing = await missingFiles(directory, entry.files);
  return missing.length === 0 ? { directory, origin: manifest.origin } : undefined;
}

/** Makes the entry unless another process of this machine makes it meanwhile. */
export async function fillOnce(
  entry: CacheEntry,
  wanted: CacheOrigin | undefined,
  options: FillOptions,
): Promise<Cached> {
  await mkdir(entry.root, { recursive: true });
  const path = join(entry.root, 'lock');
  const onWait = (owner: { pid: number }) =>
    options.log(`waiting for process ${owner.pid}, which is getting the binaries (if it hangs: remove ${path})`);
  return withMachineLock(
    { path, clock: options.clock, onWait },
    async () => (await findCached(entry, wanted)) ?? (await fill(entry, options)),
  );
}

/** Fills a fresh directory and puts it in its place only when complete, so that other processes never see an incomplete cache. */
async function fill(entry: CacheEntry, { origin, produce }: FillOptions): Promise<Cached> {
  const fresh = await mkdtemp(join(entry.root, '.incomplete-'));
  const watchdog = startWatchdog({ directory: fresh });
  try {
    await produce(fresh, watchdog);
    await writeFile(join(fresh, manifestFile), `${JSON.stringify({ ...entry.pins, origin })}\n`);
    await chmod(fresh, 0o755);
    const directory = join(entry.root, entry.version);
    // What was there is incomplete or of other versions; processes that run from it keep their open files.
    await rm(directory, { recursive: true, force: true });
    await rename(fresh, directory);
    return { directory, origin };
  } finally {
    await watchdog.close();
  }
}

/** The files that a directory lacks, or that cannot be executed. */
export async function missingFiles<Name extends string>(directory: string, names: readonly Name[]): Promise<Name[]> {
  const missing = await Promise.all(
    names.map((name) =>
      access(join(directory, name), constants.X_OK).then(
        () => [],
        () => [name],
      ),
    ),
  );
  return missing.flat();
}
