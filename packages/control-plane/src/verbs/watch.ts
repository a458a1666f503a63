import { type Clock, KubeError } from '@flotilla/kube';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome, WatchMessage } from '../contracts/call.ts';
import type { Change } from '../contracts/storage.ts';
import { type FieldCause, invalid, statusOf } from '../errors/api-errors.ts';
import { plainError } from '../patch/refusal.ts';
import { isTrue } from '../requests/request-info.ts';
import { approximateBytes } from '../storage/size.ts';
import { checkNotFuture, positive, resourceVersionError } from './list.ts';
import { type Selection, selectionOf } from './selection.ts';
import { type Batch, Inbox } from './watch-inbox.ts';

/** The interval of bookmarks on an idle watch. */
const bookmarkIntervalMs = 60_000;
const defaultTimeoutSeconds = 1800;

export function watch(backend: Backend, call: Call): Outcome {
  const { query, info } = call;
  const selection = selectionOf(info, query);
  const initial = initialEvents(query);
  const version = query.get('resourceVersion') ?? '';
  const versionError = resourceVersionError(version);
  if (versionError !== undefined) throw plainError(versionError);
  const since = Number(version);
  checkNotFuture(backend.storage.revision, since);
  const timeoutSeconds = positive(query.get('timeoutSeconds')) || defaultTimeoutSeconds;
  const options = { selection, initial, since, timeoutSeconds, bookmarks: isTrue(query.get('allowWatchBookmarks')) };
  return { kind: 'watch', events: events(backend, call, options) };
}

interface WatchPlan {
  readonly selection: Selection;
  /** Whether the present objects come first: asked for, or meant by having no resource version. */
  readonly initial: 'asked' | 'meant' | 'none';
  readonly since: number;
  readonly timeoutSeconds: number;
  readonly bookmarks: boolean;
}

function initialEvents(query: URLSearchParams): WatchPlan['initial'] {
  const asked = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const causes: FieldCause[] = [];
  const forbid = (field: string, why: string) =>
    causes.push({ reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` });
  if (asked === null && match !== '') {
    forbid('resourceVersionMatch', 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  }
  if (asked !== null && match !== 'NotOlderThan') {
    forbid('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  if (asked !== null && match !== '' && match !== 'NotOlderThan') {
    causes.push({
      reason: 'FieldValueNotSupported',
      field: 'resourceVersionMatch',
      message: `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`,
    });
  }
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
  if (asked !== null) return isTrue(asked) ? 'asked' : 'none';
  return version === '' || version === '0' ? 'meant' : 'none';
}

async function* events(backend: Backend, call: Call, plan: WatchPlan): AsyncGenerator<WatchMessage> {
  const { storage, clock, registry, limits } = backend;
  const { info, signal } = call;
  const namespace = info.namespaced ? call.namespace : undefined;
  const inbox = new Inbox({
    compactedRevision: () => storage.compactedRevision(info.storage),
    maxWatchBacklog: limits.maxWatchBacklog,
  });
  const take = (change: Change): void => {
    if (namespace !== undefined && change.object.metadata?.namespace !== namespace) return;
    if (call.name !== undefined && change.object.metadata?.name !== call.name) return;
    const message = messageOf(plan.selection, change);
    if (message) inbox.putChange(message, change);
  };

  // Listening starts before the past is read; both happen without an await in between, so no change is missed or sent twice.
  const stopListening = storage.subscribe(info.storage, take);
  const stopTimers = [
    clock.schedule(plan.timeoutSeconds * 1000, () => {
      // Changes after this moment are dropped, so the last bookmark is made now, however late the client reads it.
      if (plan.bookmarks) inbox.put(bookmark(storage.revision, false));
      inbox.end();
    }),
    plan.bookmarks ? everyMinute(clock, () => inbox.put(bookmark(storage.revision, false))) : () => {},
  ];
  const onAbort = () => inbox.end();
  const stopFollowing = registry.onRetired(info.storage, onAbort);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (plan.initial === 'none') {
      for (const change of storage.changesSince(info.storage, plan.since || storage.revision)) take(change);
    } else {
      for (const object of storage.list(info.storage, namespace)) {
        if (call.name !== undefined && object.metadata?.name !== call.name) continue;
        if (plan.selection.matches(object)) inbox.put({ type: 'ADDED', object }, approximateBytes(object));
      }
      if (plan.initial === 'asked') inbox.put(bookmark(storage.revision, true));
    }
    if (signal.aborted) return;
    for await (const batch of inbox) {
      const messages = await shownMessages(backend, call, batch);
      if (!messages) return;
      yield* messages;
    }
  } catch (error) {
    if (!KubeError.is(error, 'Expired') && !info.conversion) throw error;
    yield { type: 'ERROR', status: statusOf(error) };
  } finally {
    stopListening();
    stopFollowing();
    for (const stop of stopTimers) stop();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Messages with their objects in the version of the watch. Those that are not stored count until the next batch; nothing if that is too much. */
async function shownMessages(
  { conversions }: Backend,
  { info, hold }: Call,
  { messages, bytes }: Batch,
): Promise<readonly WatchMessage[] | undefined> {
  const stored = messages.flatMap((message) => ('object' in message ? [message.object] : []));
  const shown = await conversions.show(info, stored);
  const isStored = shown.every((object, at) => object === stored[at]);
  if (!hold(isStored ? 0 : bytes)) return undefined;
  const objects = shown.values();
  return messages.map((message) =>
    'object' in message ? { ...message, object: objects.next().value ?? message.object } : message,
  );
}

const bookmark = (revision: number, initialEventsEnd: boolean): WatchMessage => ({
  type: 'BOOKMARK',
  resourceVersion: String(revision),
  initialEventsEnd,
});

/** An object that enters or leaves the selection is added or deleted for this watcher, whatever happened to it. */
function messageOf(selection: Selection, { type, object, previous }: Change): WatchMessage | undefined {
  const was = previous !== undefined && selection.matches(previous);
  const is = type !== 'DELETED' && selection.matches(object);
  if (!was && !is) return undefined;
  if (was && is) return { type: 'MODIFIED', object };
  if (is) return { type: 'ADDED', object };
  // The object as the watcher last received it, with the revision of the change that removed it from the selection.
  const last =
    type === 'DELETED'
      ? object
      : { ...previous, metadata: { ...previous?.metadata, resourceVersion: object.metadata?.resourceVersion } };
  return { type: 'DELETED', object: last };
}

function everyMinute(clock: Clock, callback: () => void): () => void {
  let cancel = () => {};
  const next = (): void => {
    cancel = clock.schedule(bookmarkIntervalMs, () => {
      callback();
      next();
    });
  };
  next();
  return () => cancel();
}
