import { EnvtestError } from '../errors.ts';
import { type Binaries, binariesIn, missingBinaries } from './binaries.ts';
import { cacheRoot, findCached } from './cache.ts';
import { pinnedVersions } from './versions.ts';

/** Where to take the binaries from. */
export interface EnsureBinariesOptions {
  env?: NodeJS.ProcessEnv;
}

/** The binaries that are there already: in KUBEBUILDER_ASSETS, else in the cache. */
export async function findBinaries(env: NodeJS.ProcessEnv = process.env): Promise<Binaries | undefined> {
  const assets = env.KUBEBUILDER_ASSETS;
  if (assets) {
    const [missing] = await missingBinaries(assets);
    if (missing) {
      throw new EnvtestError(
        'BinariesMissing',
        `KUBEBUILDER_ASSETS is ${assets}, which has no executable file ${missing}`,
      );
    }
    return binariesIn(assets, 'assets');
  }
  return findCached(cacheRoot(env), await pinnedVersions());
}

/** The binaries. */
export async function ensureBinaries(options: EnsureBinariesOptions = {}): Promise<Binaries> {
  const found = await findBinaries(options.env);
  if (!found) throw new EnvtestError('BinariesMissing', 'none found');
  return found;
}
