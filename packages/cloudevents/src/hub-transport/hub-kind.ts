import type { KubeRequest } from '@flotilla/kube/transport';
import type { KubeObject } from '@flotilla/schema';
import type { ReplicaEntry } from './replica.ts';
import type { SyncedKind } from './synced-kind.ts';

/** A write of an object that is known here. */
export interface ReplicaWrite<T extends KubeObject> {
  readonly entry: ReplicaEntry<T>;
  /** What it shall become. */
  readonly next: T;
  readonly subresource: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly deadlineMs: number;
}

/** A kind of the hub's API, as far as it can be reached over CloudEvents. */
export interface HubKind<T extends KubeObject = KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  /** Opened at the first read. Absent for a kind that is only written. */
  synced?(): SyncedKind<T>;
  /** Creates an object. Absent: it cannot be. */
  create?(object: T, request: KubeRequest): Promise<T>;
  /** Replaces an object or a part of it; gives what the hub has afterwards. Absent: it cannot be. */
  write?(write: ReplicaWrite<T>): Promise<T>;
}
