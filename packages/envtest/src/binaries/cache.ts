import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { startWatchdog, type Watchdog } from '../processes/watchdog.ts';
import { type Binaries, type BinaryOrigin, binariesIn, missingBinaries } from './binaries.ts';
import type { KubernetesVersions } from './versions.ts';

/** `${XDG_CACHE_HOME:-~/.cache}/flotilla/kube`; each version of Kubernetes has a directory there. */
export const cacheRoot = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'flotilla', 'kube');

/** Says what the files beside it are: etcd may move while Kubernetes stays. */
const manifestFile = 'manifest.json';

interface Manifest extends KubernetesVersions {
  origin: 'build' | 'download';
}

/** The cached binaries, if all are there, of the right versions and, if that matters, of the right origin. */
export async function findCached(
  root: string,
  versions: KubernetesVersions,
  origin?: BinaryOrigin,
): Promise<Binaries | undefined> {
  const directory = join(root, versions.kubernetes);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(join(directory, manifestFile), 'utf8'));
  } catch {
    return undefined;
  }
  if (manifest.kubernetes !== versions.kubernetes || manifest.etcd !== versions.etcd) return undefined;
  if (origin && manifest.origin !== origin) return undefined;
  return (await missingBinaries(directory)).length === 0 ? binariesIn(directory, manifest.origin) : undefined;
}

/** Fills a fresh directory by `produce` and puts it in its place only when complete, so that nobody sees half a cache. */
export async function fillCache(
  root: string,
  versions: KubernetesVersions,
  origin: 'build' | 'download',
  produce: (directory: string, watchdog: Watchdog) => Promise<void>,
): Promise<Binaries> {
  const fresh = await mkdtemp(join(root, '.incomplete-'));
  const watchdog = startWatchdog({ directory: fresh });
  try {
    await produce(fresh, watchdog);
    const manifest: Manifest = { ...versions, origin };
    await writeFile(join(fresh, manifestFile), `${JSON.stringify(manifest)}\n`);
    await chmod(fresh, 0o755);
    const directory = join(root, versions.kubernetes);
    // What was there is incomplete or of other versions; processes that run from it keep their open files.
    await rm(directory, { recursive: true, force: true });
    await rename(fresh, directory);
    return binariesIn(directory, origin);
  } finally {
    await watchdog.close();
  }
}
