import { createHash } from 'node:crypto';

/**
 * Which replica runs the agent of a cluster: the one with the highest hash of both names. All replicas come to the same answer by
 * themselves. When one goes, only its own clusters move; when one comes, it takes its share from all others.
 */
export function replicaFor(cluster: string, replicas: readonly string[]): string | undefined {
  let best: { readonly replica: string; readonly weight: string } | undefined;
  for (const replica of replicas) {
    const weight = weightOf(replica, cluster);
    if (!best || weight > best.weight) best = { replica, weight };
  }
  return best?.replica;
}

const weightOf = (replica: string, cluster: string): string =>
  createHash('sha256').update(`${replica}\n${cluster}`).digest('hex');
