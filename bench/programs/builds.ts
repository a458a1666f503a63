import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, median } from '../lib/report.ts';

/** A program of Flotilla, by the folder of its app. */
export type App = 'hub' | 'agent' | 'singleton' | 'cli';

const here = fileURLToPath(new URL('../..', import.meta.url));

/** How many starts of each program; the median counts. */
const rounds = 3;

/** Measures the program of this checkout and of another one in turns, so that both share the state of the machine. */
export async function inTurns<T>(
  app: App,
  peer: string | undefined,
  measure: (file: string) => Promise<T>,
): Promise<{ ours: T[]; theirs: T[] }> {
  const measured: { ours: T[]; theirs: T[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round += 1) {
    measured.ours.push(await measure(fileOf(here, app)));
    if (peer !== undefined) measured.theirs.push(await measure(fileOf(resolve(peer), app)));
  }
  return measured;
}

/** The medians of both as one figure. Programs may do more than before, but must not become a burden. */
export const figureOf = (
  what: string,
  unit: string,
  peer: string | undefined,
  { ours, theirs }: { readonly ours: readonly number[]; readonly theirs: readonly number[] },
): Figure => ({
  what,
  unit,
  ours: median(ours),
  ...(peer !== undefined && { peer: { name: basename(resolve(peer)), value: median(theirs) }, limit: 1.2 }),
});

/** The one file that an app of a checkout is shipped as. */
function fileOf(checkout: string, app: App): string {
  const file = join(checkout, 'apps', app, 'dist', app === 'cli' ? 'flotilla.js' : `flotilla-${app}.js`);
  if (!existsSync(file)) throw new Error(`${file} does not exist: run npm ci && npm run build in ${checkout}`);
  return file;
}
