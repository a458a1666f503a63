import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How far `up` has brought a cluster. */
type Stage = 'joined' | 'accepted';

/**
 * What `up` has done for each cluster of a fleet, kept in its directory: a later run must not join again what the user has unjoined
 * since, nor accept again what the user has denied.
 */
export interface FleetRecord {
  stageOf(cluster: string): Stage | undefined;
  set(cluster: string, stage: Stage): Promise<void>;
}

const isStage = (value: unknown): value is Stage => value === 'joined' || value === 'accepted';

/** The record of a directory; empty for a fleet that is new. */
export async function openFleetRecord(directory: string): Promise<FleetRecord> {
  const path = join(directory, 'fleet.json');
  const stages = new Map(await readStages(path));
  let last = Promise.resolve();
  return {
    stageOf: (cluster) => stages.get(cluster),
    set(cluster, stage) {
      stages.set(cluster, stage);
      // One after the other, and never half a file: clusters are accepted at the same time.
      last = last.then(async () => {
        await writeFile(`${path}.new`, `${JSON.stringify(Object.fromEntries(stages))}\n`, { mode: 0o600 });
        await rename(`${path}.new`, path);
      });
      return last;
    },
  };
}

async function readStages(path: string): Promise<[string, Stage][]> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, stage]) => (isStage(stage) ? [[name, stage] as [string, Stage]] : []));
  } catch {
    return [];
  }
}
