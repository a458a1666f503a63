import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type GuideClusters, startGuideClusters } from './guide-clusters.ts';

/** Only ends what hangs, also on a machine that is busy elsewhere. */
export const patience = { timeout: 120_000, interval: 300 };

/** A hub that `flotilla init` installed, and a cluster that can join it. */
export interface GuideHub extends GuideClusters<'hub' | 'managed'> {
  /** Runs a line that must succeed, and gives its output. */
  run(line: string): Promise<string>;
  /** What a line prints by and by. */
  says(line: string): ReturnType<typeof expect.poll<string>>;
  /** Writes a file beside the shell. */
  file(name: string, text: string): Promise<void>;
  /** The command that `flotilla get token` prints for a cluster. */
  joinCommand(cluster: string, by?: 'api' | 'grpc'): Promise<string>;
  /** Accepts a cluster, and waits until it is available. */
  accept(cluster: string): Promise<void>;
  /** Takes the managed cluster and its works from the hub. */
  leave(cluster: string): Promise<void>;
}

/** Starts both. `flags` are those of `flotilla init`. */
export async function startGuideHub(flags = ''): Promise<GuideHub> {
  await using stack = new AsyncDisposableStack();
  const clusters = stack.use(await startGuideClusters('hub', 'managed'));
  const run = async (line: string) => {
    const result = await clusters.sh(line);
    expect(result, `${line}\n${result.out}\n${result.err}`).toMatchObject({ code: 0 });
    return result.out;
  };
  const says = (line: string) =>
    expect.poll(async () => {
      const { out, err } = await clusters.sh(line);
      return `${out}${err}`;
    }, patience);
  await run(`flotilla init ${flags} --wait --context hub`);
  const cleanup = stack.move();
  return {
    ...clusters,
    run,
    says,
    file: (name, text) => writeFile(join(clusters.directory, name), text),
    async joinCommand(cluster, by = 'api') {
      const lines = (await run('flotilla get token --context hub')).split('\n').map((line) => line.trim());
      const isWanted = (line: string) =>
        line.startsWith('flotilla join') && line.includes('--registration-auth grpc') === (by === 'grpc');
      const command = lines.find(isWanted) ?? '';
      expect(command, lines.join('\n')).not.toBe('');
      return command.replace('<cluster_name>', cluster);
    },
    async accept(cluster) {
      await run(`flotilla accept --clusters ${cluster} --wait --context hub`);
      await says(`kubectl get managedcluster ${cluster} --context hub`).toMatch(/true .* True +True/);
    },
    async leave(cluster) {
      await run(`kubectl -n ${cluster} delete manifestwork --all --timeout=60s --context hub`);
      await run(`flotilla unjoin --cluster-name ${cluster} --context managed`);
      await run(`kubectl delete managedcluster ${cluster} --ignore-not-found --context hub --timeout=60s`);
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}
