import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Binaries, binariesIn, missingBinaries } from './binaries.ts';
import type { KubernetesVersions } from './versions.ts';

/** `${XDG_CACHE_HOME:-~/.cache}/flotilla/kube`; each version of Kubernetes has a directory there. */
export const cacheRoot = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'flotilla', 'kube');

/** Says what the files beside it are: etcd may move while Kubernetes stays. */
const versionsFile = 'versions.json';

/** The cached binaries, if all are there and of the right versions. */
export async function findCached(root: string, versions: KubernetesVersions): Promise<Binaries | undefined> {
  const directory = join(root, versions.kubernetes);
  try {
    const cached: Partial<KubernetesVersions> = JSON.parse(await readFile(join(directory, versionsFile), 'utf8'));
    if (cached.kubernetes !== versions.kubernetes || cached.etcd !== versions.etcd) return undefined;
  } catch {
    return undefined;
  }
  return (await missingBinaries(directory)).length === 0 ? binariesIn(directory, 'cache') : undefined;
}

/** Fills a fresh directory by `produce` and puts it in its place only when complete, so that nobody sees half a cache. */
export async function fillCache(
  root: string,
  versions: KubernetesVersions,
  origin: 'build' | 'download',
  produce: (directory: string) => Promise<void>,
): Promise<Binaries> {
  await mkdir(root, { recursive: true });
  const fresh = await mkdtemp(join(root, '.incomplete-'));
  try {
    await produce(fresh);
    await writeFile(join(fresh, versionsFile), `${JSON.stringify(versions)}\n`);
    const directory = join(root, versions.kubernetes);
    // What was there is incomplete or of other versions; processes that run from it keep their open files.
    await rm(directory, { recursive: true, force: true });
    await rename(fresh, directory);
    return binariesIn(directory, origin);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}
