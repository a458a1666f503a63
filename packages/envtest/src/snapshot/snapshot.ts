import { stat } from 'node:fs/promises';
import type { Clock } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { Binaries } from '../binaries/binaries.ts';
import { cacheOf } from '../binaries/cache.ts';
import { type Entry, withFreshUid } from './entries.ts';
import { readEntries, writeEntries } from './etcd-contents.ts';
import { digest, readSnapshot, writeSnapshot } from './store.ts';

/** What of a start decides what the API server stores first. */
export interface SnapshotOptions {
  readonly snapshot?: boolean;
  readonly dataDirectory?: string;
  readonly crds?: readonly KubeObject[];
  readonly etcdFlags?: object;
  readonly apiServerFlags?: object;
}

/** What a start works with. */
export interface SnapshotContext {
  readonly options: SnapshotOptions;
  readonly binaries: Binaries;
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

/** What earlier starts of the same kind left for this one. */
export interface Snapshot {
  /** Fills an empty etcd; false if there is nothing to fill it with. */
  restore(): Promise<boolean>;
  /** Keeps what the API server has stored, for later starts. */
  keep(): Promise<void>;
}

/** Flags of kube-apiserver that have no part in what it stores. With any other, a start does without a snapshot. */
const harmlessFlags = new Set([
  'anonymous-auth',
  'authentication-token-webhook-cache-ttl',
  'authentication-token-webhook-config-file',
  'enable-aggregator-routing',
  'watch-cache',
]);

/** Whether a start of this kind may begin with what another one stored. */
export const usesSnapshot = ({ snapshot, dataDirectory, etcdFlags, apiServerFlags }: SnapshotOptions): boolean =>
  snapshot !== false &&
  dataDirectory === undefined &&
  Object.keys(etcdFlags ?? {}).length === 0 &&
  Object.keys(apiServerFlags ?? {}).every((flag) => harmlessFlags.has(flag));

/** Raised when snapshots have other content or another form. */
const format = 2;

/** The snapshot for a start, kept in the cache beside the binaries. */
export async function openSnapshot(context: SnapshotContext, defaultFlags: object): Promise<Snapshot> {
  const { options, binaries, directory, env, clock } = context;
  if (!usesSnapshot(options)) return { restore: async () => false, keep: async () => {} };
  const programs = await Promise.all([binaries.path('etcd'), binaries.path('kube-apiserver')].map(identityOf));
  const name = digest(JSON.stringify([format, programs, defaultFlags, options.crds ?? []]));
  const root = cacheOf('snapshots', env);
  return {
    async restore() {
      const entries: readonly Entry[] | undefined = await readSnapshot(root, name, clock);
      if (entries) await writeEntries(directory, entries.map(withFreshUid));
      return entries !== undefined;
    },
    async keep() {
      const entries = await readEntries(directory);
      // A cache that cannot be written makes later starts slow, and does not fail this one.
      await writeSnapshot(root, name, entries).catch(() => {});
    },
  };
}

/** Which file it is, without reading 100 MiB. */
async function identityOf(path: string): Promise<readonly [string, number, number]> {
  const { size, mtimeMs } = await stat(path);
  return [path, size, mtimeMs];
}
