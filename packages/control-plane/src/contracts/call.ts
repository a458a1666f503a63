import type { KubeObject } from '@flotilla/schema';
import type { ResourceInfo } from './resource-info.ts';
import type { UserInfo } from './user-info.ts';

/** How an answer is written: which encoding, and whether it is the object, its metadata, or a table. */
export interface Representation {
  readonly encoding: 'json' | 'yaml';
  readonly as: 'object' | 'metadata' | 'table';
}

/** One request on one resource, after authentication and authorisation. */
export interface Call {
  readonly info: ResourceInfo;
  readonly namespace?: string;
  /** Unset for collections. */
  readonly name?: string;
  readonly subresource?: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The limit of a body that is YAML and not JSON. */
  readonly maxYamlBytes: number;
  readonly user: UserInfo;
  readonly representation: Representation;
  readonly signal: AbortSignal;
  /** Throws 403 unless the user may do this too: an apply of something that is not there is a create. */
  requireVerb(verb: string): void;
  /** Counts what a watch has ready beside what is being sent, instead of what it had before. False at a limit. */
  hold(bytes: number): boolean;
  /** Adds a Warning header. */
  warn(message: string): void;
}

/** What a verb answers: an object or list to be written in the wanted representation, a watch, or text. */
export type Outcome =
  | { readonly kind: 'object'; readonly status: number; readonly object: KubeObject }
  | { readonly kind: 'list'; readonly list: ObjectList }
  /** Plain text as it comes: a log. */
  | { readonly kind: 'text'; readonly chunks: AsyncIterable<string> }
  | { readonly kind: 'watch'; readonly events: AsyncIterable<WatchMessage> };

export interface ObjectList {
  readonly items: readonly KubeObject[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

export type WatchMessage =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: object };
