import { join } from 'node:path';
import { type Clock, realClock } from '@flotilla/kube';
import { type CacheEntry, cacheOf, fillOnce, findCached } from './cache.ts';
import { buildGoPrograms, type GoPrograms } from './go-build.ts';

/** Programs that are compiled once on a machine and then taken from the cache. */
export interface CachedGoPrograms extends GoPrograms {
  /** Names their directory in the cache, beside `kube`. */
  readonly name: string;
  /** Names the directory below it. Other sources need another version. */
  readonly version: string;
}

/** How to compile them. */
export interface EnsureGoProgramsOptions {
  /** Gets the progress line by line. Default: standard error. */
  log?: (line: string) => void;
  env?: NodeJS.ProcessEnv;
  clock?: Clock;
}

/**
 * The path of each program, by its name; compiles them if need be, as `ensureBinaries` does with Kubernetes.
 * Of several processes that ask, one works and the others wait.
 */
export async function ensureGoPrograms<Name extends string>(
  programs: CachedGoPrograms & { readonly packages: Readonly<Record<Name, string>> },
  options: EnsureGoProgramsOptions = {},
): Promise<Readonly<Record<Name, string>>> {
  const { env = process.env, clock = realClock } = options;
  const log = options.log ?? ((line) => void process.stderr.write(`flotilla-envtest: ${line}\n`));
  const names = Object.keys(programs.packages) as Name[];
  const entry: CacheEntry = {
    root: cacheOf(programs.name, env),
    version: programs.version,
    files: names,
    pins: { version: programs.version },
  };
  const { directory } =
    (await findCached(entry)) ??
    (await fillOnce(entry, undefined, {
      origin: 'build',
      clock,
      log,
      produce: (output, watchdog) => buildGoPrograms(programs, { output, env, clock, log, watchdog }),
    }));
  return Object.fromEntries(names.map((name) => [name, join(directory, name)])) as Record<Name, string>;
}
