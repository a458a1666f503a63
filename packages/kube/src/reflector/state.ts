import type { KubeErrorCode } from '../errors/codes.ts';
import type { KubeError } from '../errors/kube-error.ts';

/**
 * How to get all objects: as a stream of initial events that goes on as the watch (one request, and the server need not build
 * the list), page by page for servers that cannot do that, or in one answer when paging was slower than the server's memory.
 */
export type ListMethod = 'stream' | 'pages' | 'whole';

/** What every state knows. */
interface Known {
  /** How the next list is made. */
  readonly method: ListMethod;
  /** Failures in a row; forgotten after a watch that was healthy for a while. */
  readonly failures: number;
  /** Whether the last connection proved by itself that the server is there; see KubeStream. */
  readonly monitored: boolean;
  /** Silent watches in a row. */
  readonly silences: number;
  /** Why we are not watching; kept through the next attempt until that succeeds. */
  readonly lastError?: KubeError;
}

/** Fetching all objects. On failure: nothing was emitted yet, so the attempt is dropped and made again. */
export interface Listing extends Known {
  readonly phase: 'listing';
}

/** Following changes from a resource version. On failure: resumed from the last one seen, or listed again if that is too old. */
export interface Watching extends Known {
  readonly phase: 'watching';
  readonly resourceVersion: string;
  /** When the server accepted the watch (monotonic); unset until then. */
  readonly openedAt?: number;
  /** Whether this watch brought anything new. */
  readonly progressed: boolean;
}

/** Waiting after a failure, `slow` when only a user or another program can fix it. */
export interface Waiting extends Known {
  readonly phase: 'waiting';
  readonly pace: 'normal' | 'slow';
  readonly lastError: KubeError;
  readonly next: Listing | Watching;
}

/** Where a reflector stands. */
export type ReflectorState = Listing | Watching | Waiting;

/** What happens to a reflector; `at` is monotonic time. */
export type ReflectorSignal =
  /** The server accepted the request. */
  | { readonly type: 'opened'; readonly at: number; readonly monitored: boolean }
  /** All objects are in. `live`: the same stream continues as the watch. */
  | { readonly type: 'listed'; readonly at: number; readonly resourceVersion: string; readonly live: boolean }
  /** A change or a bookmark. */
  | { readonly type: 'progressed'; readonly resourceVersion: string }
  /** The server ended the stream in good order. */
  | { readonly type: 'closed'; readonly at: number }
  /** Credentials, CA or server changed: streams should be opened anew. */
  | { readonly type: 'accessChanged' }
  /** Nothing was received for longer than a live server would be silent. */
  | { readonly type: 'silent' }
  | { readonly type: 'failed'; readonly at: number; readonly error: KubeError }
  /** The wait is over. */
  | { readonly type: 'waited' };

/** Initial state: assumes that the server streams lists. */
export const initialState: Listing = {
  phase: 'listing',
  method: 'stream',
  failures: 0,
  monitored: true,
  silences: 0,
};

/** Codes that another attempt soon cannot fix: permissions, credentials, or a kind that is not served (any more). */
export const slowCodes: ReadonlySet<KubeErrorCode> = new Set<KubeErrorCode>([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'UnknownKind',
  'MethodNotAllowed',
]);
