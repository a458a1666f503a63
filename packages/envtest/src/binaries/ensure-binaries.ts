import { type Clock, realClock } from '@flotilla/kube';
import { EnvtestError } from '../errors.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import { type Binaries, type BinaryOrigin, binariesIn, binaryNames } from './binaries.ts';
import { type CacheEntry, cacheRoot, fillOnce, findCached, missingFiles } from './cache.ts';
import { type DownloadHosts, downloadBinaries } from './download.ts';
import { buildGoPrograms } from './go-build.ts';
import { kubernetesPrograms } from './kubernetes-programs.ts';
import { type KubernetesVersions, pinnedVersions } from './versions.ts';

/** Where to take the binaries from. */
export interface EnsureBinariesOptions {
  /**
   * `assets`: KUBEBUILDER_ASSETS; `build`: compiled by Go; `download`: the official releases. What was built or downloaded
   * once is taken from the cache. Default: KUBEBUILDER_ASSETS if set, else the cache however it was filled, else `build`.
   */
  source?: BinaryOrigin;
  hosts?: DownloadHosts;
  /** Gets the progress line by line. Default: standard error. */
  log?: (line: string) => void;
  env?: NodeJS.ProcessEnv;
  clock?: Clock;
}

/** The binaries that are there already, without making any: in KUBEBUILDER_ASSETS, else in the cache. */
export async function findBinaries(env: NodeJS.ProcessEnv = process.env): Promise<Binaries | undefined> {
  const assets = await findAssets(env);
  if (assets) return assets;
  const cached = await findCached(cacheEntry(env, await pinnedVersions()));
  return cached && binariesIn(cached);
}

/** The binaries; compiles or downloads them if need be. Of several processes that ask, one works and the others wait. */
export async function ensureBinaries(options: EnsureBinariesOptions = {}): Promise<Binaries> {
  const { source, hosts, env = process.env, clock = realClock } = options;
  const log = options.log ?? ((line) => void process.stderr.write(`flotilla-envtest: ${line}\n`));
  if (source === undefined || source === 'assets') {
    const assets = await findAssets(env);
    if (assets) return assets;
    if (source) throw new EnvtestError('BinariesMissing', 'KUBEBUILDER_ASSETS is not set');
  }
  const versions = await pinnedVersions();
  const entry = cacheEntry(env, versions);
  const produce = (output: string, watchdog: Watchdog) =>
    source === 'download'
      ? downloadBinaries({ versions, output, log, ...(hosts && { hosts }) })
      : buildGoPrograms(kubernetesPrograms(versions), { output, env, clock, log, watchdog });
  const cached =
    (await findCached(entry, source)) ??
    (await fillOnce(entry, source, { origin: source ?? 'build', clock, log, produce }));
  return binariesIn(cached);
}

const cacheEntry = (env: NodeJS.ProcessEnv, versions: KubernetesVersions): CacheEntry => ({
  root: cacheRoot(env),
  version: versions.kubernetes,
  files: binaryNames,
  pins: { ...versions },
});

async function findAssets(env: NodeJS.ProcessEnv): Promise<Binaries | undefined> {
  const directory = env.KUBEBUILDER_ASSETS;
  if (!directory) return undefined;
  const [missing] = await missingFiles(directory, binaryNames);
  if (missing) {
    const hint = `Put ${missing} there, or unset KUBEBUILDER_ASSETS to have the binaries compiled or taken from the cache.`;
    throw new EnvtestError(
      'BinariesMissing',
      `KUBEBUILDER_ASSETS is ${directory}, which has no executable file ${missing}`,
      {
        hint,
      },
    );
  }
  return binariesIn({ directory, origin: 'assets' });
}
