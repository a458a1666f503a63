import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, realClock } from '@flotilla/kube';
import { EnvtestError } from '../errors.ts';
import { type Binaries, type BinaryOrigin, binariesIn, missingBinaries } from './binaries.ts';
import { cacheRoot, fillCache, findCached } from './cache.ts';
import { type DownloadHosts, downloadBinaries } from './download.ts';
import { buildBinaries } from './go-build.ts';
import { withMachineLock } from './machine-lock.ts';
import { moduleDirectory, pinnedVersions } from './versions.ts';

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
  return (await findAssets(env)) ?? findCached(cacheRoot(env), await pinnedVersions());
}

/** The binaries; compiles or downloads them if need be. Of several processes that ask, one works and the others wait. */
export async function ensureBinaries(options: EnsureBinariesOptions = {}): Promise<Binaries> {
  const { source, env = process.env, clock = realClock } = options;
  const log = options.log ?? ((line) => void process.stderr.write(`flotilla-envtest: ${line}\n`));
  if (source === undefined || source === 'assets') {
    const assets = await findAssets(env);
    if (assets) return assets;
    if (source) throw new EnvtestError('BinariesMissing', 'KUBEBUILDER_ASSETS is not set');
  }
  const root = cacheRoot(env);
  const versions = await pinnedVersions();
  const cached = await findCached(root, versions, source);
  if (cached) return cached;

  await mkdir(root, { recursive: true });
  const lock = join(root, 'lock');
  const onWait = (owner: { pid: number }) =>
    log(`waiting for process ${owner.pid}, which is getting the binaries (if it hangs: remove ${lock})`);
  return withMachineLock({ path: lock, clock, onWait }, async () => {
    const meanwhile = await findCached(root, versions, source);
    if (meanwhile) return meanwhile;
    return fillCache(root, versions, source ?? 'build', (output, watchdog) =>
      source === 'download'
        ? downloadBinaries({ versions, output, log, ...(options.hosts && { hosts: options.hosts }) })
        : buildBinaries({ moduleDirectory: moduleDirectory(), versions, output, env, clock, log, watchdog }),
    );
  });
}

async function findAssets(env: NodeJS.ProcessEnv): Promise<Binaries | undefined> {
  const directory = env.KUBEBUILDER_ASSETS;
  if (!directory) return undefined;
  const [missing] = await missingBinaries(directory);
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
  return binariesIn(directory, 'assets');
}
