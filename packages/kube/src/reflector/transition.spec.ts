import { describe, expect, it } from 'vitest';
import type { KubeErrorCode } from '../errors/codes.ts';
import { KubeError, type KubeErrorOptions } from '../errors/kube-error.ts';
import { initialState, type Listing, type ReflectorSignal, type ReflectorState, type Watching } from './state.ts';
import { transition, waitMs } from './transition.ts';

const failed = (code: KubeErrorCode, at = 0, options?: KubeErrorOptions): ReflectorSignal => ({
  type: 'failed',
  at,
  error: new KubeError(code, 'as the test says', options),
});

const listing = (known: Partial<Listing> = {}): Listing => ({ ...initialState, ...known });

const watching = (known: Partial<Watching> = {}): Watching => ({
  ...initialState,
  phase: 'watching',
  resourceVersion: '7',
  openedAt: 0,
  progressed: false,
  ...known,
});

/** What matters of a state, in one line. */
const brief = (state: ReflectorState): string => {
  if (state.phase === 'waiting') return `waiting ${state.pace}, then ${brief(state.next)}`;
  return state.phase === 'listing' ? `listing ${state.method}` : `watching from ${state.resourceVersion}`;
};

const table: Record<string, [state: ReflectorState, signal: ReflectorSignal, next: string]> = {
  'A new reflector begins with a streaming list, which goes on as the watch.': [
    listing(),
    { type: 'listed', at: 0, resourceVersion: '9', live: true },
    'watching from 9',
  ],
  'A server that refuses streaming lists is asked for pages, at once.': [listing(), failed('Invalid'), 'listing pages'],
  'A server that calls the streaming list a bad request is asked for pages.': [
    listing(),
    failed('BadRequest'),
    'listing pages',
  ],
  'A server that never says that the list is complete is asked for pages.': [
    listing(),
    { type: 'silent' },
    'listing pages',
  ],
  'A stream that ends before the list is complete is asked for as pages.': [
    listing(),
    { type: 'closed', at: 5 },
    'listing pages',
  ],
  'Pages that outlive what the server keeps are asked for in one answer.': [
    listing({ method: 'pages' }),
    failed('Expired'),
    'listing whole',
  ],
  'A list that fails is made again after a wait.': [
    listing(),
    failed('Unavailable'),
    'waiting normal, then listing stream',
  ],
  'A list without the right to it is made again slowly.': [
    listing(),
    failed('Forbidden'),
    'waiting slow, then listing stream',
  ],
  'A kind that is not served is retried slowly.': [listing(), failed('NotFound'), 'waiting slow, then listing stream'],
  'New credentials during a streaming list begin it anew.': [listing(), { type: 'accessChanged' }, 'listing stream'],
  'A bookmark moves the version from which a watch is resumed.': [
    watching(),
    { type: 'progressed', resourceVersion: '12' },
    'watching from 12',
  ],
  'A watch that the server ends is resumed without a wait.': [
    watching(),
    { type: 'closed', at: 300_000 },
    'watching from 7',
  ],
  'A watch that ends at once with nothing new is a failure.': [
    watching(),
    { type: 'closed', at: 999 },
    'waiting normal, then watching from 7',
  ],
  'A watch that ends at once but brought something is resumed without a wait.': [
    watching({ progressed: true }),
    { type: 'closed', at: 10 },
    'watching from 7',
  ],
  'A version that is too old means a new list, without a wait.': [
    watching({ openedAt: undefined }),
    failed('Expired'),
    'listing stream',
  ],
  'A version that is too old after a lost connection means a new list, without another wait.': [
    watching({ failures: 1 }),
    failed('Expired'),
    'listing stream',
  ],
  'A version that is too old again and again means a wait before the list.': [
    watching({ failures: 2 }),
    failed('Expired', 5_000),
    'waiting normal, then listing stream',
  ],
  'A version from the future of a restored server means a new list.': [
    watching(),
    failed('Timeout', 0, { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    'listing stream',
  ],
  'A lost connection is resumed from the last version after a wait.': [
    watching(),
    failed('Unavailable'),
    'waiting normal, then watching from 7',
  ],
  'A watch whose right was taken is resumed slowly.': [
    watching(),
    failed('Forbidden'),
    'waiting slow, then watching from 7',
  ],
  'A kind that is gone is listed anew when it comes back.': [
    watching(),
    failed('NotFound'),
    'waiting slow, then listing stream',
  ],
  'New credentials reopen the watch from where it is.': [watching(), { type: 'accessChanged' }, 'watching from 7'],
  'A first silence reopens the watch from where it is.': [watching(), { type: 'silent' }, 'watching from 7'],
  'A second silence in a row means a new list.': [watching({ silences: 1 }), { type: 'silent' }, 'listing stream'],
  'A server without streaming lists is remembered.': [
    watching({ method: 'pages' }),
    failed('Expired'),
    'listing pages',
  ],
  'After one whole list, paging is tried again.': [
    listing({ method: 'whole' }),
    { type: 'listed', at: 0, resourceVersion: '9', live: false },
    'watching from 9',
  ],
};

describe('transition', () => {
  it.each(Object.entries(table))('%s', (_, [state, signal, next]) => {
    expect(brief(transition(state, signal))).toBe(next);
  });

  it('ends a wait when its time is over or new credentials arrive', () => {
    const waiting = transition(watching(), failed('Unauthorized'));
    expect(brief(transition(waiting, { type: 'waited' }))).toBe('watching from 7');
    expect(brief(transition(waiting, { type: 'accessChanged' }))).toBe('watching from 7');
    expect(transition(waiting, { type: 'silent' })).toBe(waiting);
  });

  it('keeps the last error until the next attempt succeeds', () => {
    const waiting = transition(watching(), failed('Unavailable'));
    expect(waiting.lastError?.code).toBe('Unavailable');
    const trying = transition(waiting, { type: 'waited' });
    expect(trying.lastError?.code).toBe('Unavailable');
    expect(transition(trying, { type: 'opened', at: 9, monitored: true }).lastError).toBeUndefined();
  });

  it('counts failures until a watch has been healthy for a while', () => {
    const twice = transition(watching({ failures: 1 }), failed('Unavailable', 29_999));
    expect(twice.failures).toBe(2);
    const once = transition(watching({ failures: 5 }), failed('Unavailable', 30_000));
    expect(once.failures).toBe(1);
  });

  it('resets the silence count when an event arrives or the server ends the watch in good order', () => {
    expect(transition(watching({ silences: 1 }), { type: 'progressed', resourceVersion: '7' }).silences).toBe(0);
    expect(transition(watching({ silences: 1 }), { type: 'closed', at: 40_000 }).silences).toBe(0);
    expect(transition(watching({ silences: 1 }), { type: 'accessChanged' }).silences).toBe(1);
  });

  it('tries pages again after a whole list', () => {
    const listed = transition(listing({ method: 'whole' }), {
      type: 'listed',
      at: 0,
      resourceVersion: '9',
      live: false,
    });
    expect(listed.method).toBe('pages');
    expect(transition(listing({ method: 'whole' }), failed('Timeout')).method).toBe('pages');
  });
});

describe('waitMs', () => {
  const waits = (state: ReflectorState) => {
    if (state.phase !== 'waiting') throw new Error(`not waiting but ${state.phase}`);
    return [waitMs(state, 0), waitMs(state, 1)];
  };

  it('grows with the failures, with jitter, up to half a minute', () => {
    expect(waits(transition(watching(), failed('Unavailable')))).toEqual([100, 200]);
    expect(waits(transition(watching({ failures: 3 }), failed('Unavailable')))).toEqual([800, 1600]);
    expect(waits(transition(watching({ failures: 30 }), failed('Unavailable')))).toEqual([15_000, 30_000]);
  });

  it('is slower where only another party can fix it', () => {
    expect(waits(transition(listing(), failed('Forbidden')))).toEqual([500, 1000]);
    expect(waits(transition(listing({ failures: 30 }), failed('Forbidden')))).toEqual([30_000, 60_000]);
  });

  it('is at least what the server asked for', () => {
    expect(waits(transition(listing(), failed('TooManyRequests', 0, { retryAfterMs: 5000 })))).toEqual([5000, 5000]);
  });
});
