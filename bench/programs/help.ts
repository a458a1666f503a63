import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Figure } from '../lib/report.ts';
import { type App, figureOf, inTurns } from './builds.ts';

const apps: readonly App[] = ['hub', 'agent', 'singleton', 'cli'];

/** What a user waits for the help of each program: the cost of loading it. */
export async function measureHelp(peer: string | undefined): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const app of apps) {
    const program = app === 'cli' ? 'flotilla' : `flotilla-${app}`;
    figures.push(figureOf(`${program} --help`, 'ms', peer, await inTurns(app, peer, helpMs)));
  }
  return figures;
}

async function helpMs(file: string): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [file, '--help'], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${file} --help ended with ${code}`);
  return performance.now() - began;
}
