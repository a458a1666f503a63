import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@flotilla/kube';
import { build } from 'esbuild';
import { rssMiB } from '../lib/memory.ts';
import { type Figure, median } from '../lib/report.ts';

const runs = 5;
const settleMs = 1500;

interface Start {
  readonly ms: number;
  readonly rssMiB: number;
}

/** Two bundled processes with one informer each, ours and that of `@kubernetes/client-node`: until synced, and memory when idle. */
export async function measureStartup(kubeconfigPath: string): Promise<Figure[]> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
  try {
    const kit = await bundle('kit-informer', directory);
    const peer = await bundle('client-node-informer', directory);
    const starts: { kit: Start; peer: Start }[] = [];
    for (let run = 0; run < runs; run++) {
      starts.push({ kit: await start(kit, kubeconfigPath), peer: await start(peer, kubeconfigPath) });
    }
    const figure = (what: string, unit: string, pick: (start: Start) => number): Figure => ({
      what,
      ours: median(starts.map((both) => pick(both.kit))),
      unit,
      peer: { name: "client-node's informer", value: median(starts.map((both) => pick(both.peer))) },
    });
    return [
      figure('process start to synced informer, bundled', 'ms', ({ ms }) => ms),
      figure('RSS of that process when idle', 'MiB', ({ rssMiB }) => rssMiB),
    ];
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function bundle(name: string, directory: string): Promise<string> {
  const outfile = join(directory, `${name}.mjs`);
  await build({
    entryPoints: [new URL(`./processes/${name}.ts`, import.meta.url).pathname],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Some dependencies are CommonJS and call require for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}

async function start(script: string, kubeconfigPath: string): Promise<Start> {
  const began = performance.now();
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, KUBECONFIG: kubeconfigPath },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    if (!String(line).startsWith('synced')) throw new Error(`${script} ended before it was synced`);
    const ms = performance.now() - began;
    await realClock.sleep(settleMs);
    return { ms, rssMiB: await rssMiB(child.pid ?? 0) };
  } finally {
    child.kill('SIGKILL');
  }
}
