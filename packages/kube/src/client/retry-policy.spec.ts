import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { decideRetry, defaultRetry, type FailedTry } from './retry-policy.ts';
import type { HttpMethod } from './transport.ts';

const methods: readonly HttpMethod[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'];
const repeatable = ['GET', 'HEAD', 'PUT', 'DELETE'];

const answered = (status: number, headers: Record<string, string> = {}) =>
  KubeError.fromResponse({ method: 'GET', path: '/' }, status, '', headers);

function decide(error: KubeError, more: Partial<FailedTry> = {}) {
  return decideRetry({
    request: { method: 'GET' },
    error,
    maybeProcessed: true,
    retries: 0,
    options: defaultRetry,
    random: () => 0.5,
    ...more,
  });
}

const repeated = (error: KubeError, more: Partial<FailedTry> = {}): string[] =>
  methods.filter((method) => decide(error, { request: { method }, ...more }) !== undefined);

describe('what is sent again', () => {
  it.each<[string, KubeError, Partial<FailedTry>, readonly string[]]>([
    ['a connection lost under way: what may be repeated', new KubeError('Unavailable', 'lost'), {}, repeatable],
    [
      'a request that the server did not process: all methods',
      new KubeError('Unavailable', 'refused'),
      { maybeProcessed: false },
      methods,
    ],
    ['429 with Retry-After: all methods', answered(429, { 'retry-after': '1' }), {}, methods],
    ['429 without, as for an eviction: what may be repeated', answered(429), {}, repeatable],
    ['503 with Retry-After: all methods', answered(503, { 'retry-after': '1' }), {}, methods],
    ['500: what may be repeated', answered(500), {}, repeatable],
    ['502: what may be repeated', answered(502), {}, repeatable],
    ['504: what may be repeated', answered(504), {}, repeatable],
    ['501: nothing', answered(501), {}, []],
    ['404: nothing', answered(404), {}, []],
    ['409: nothing', answered(409), {}, []],
    ['a failure of TLS: nothing', new KubeError('Tls', 'x'), { maybeProcessed: false }, []],
    ['the last retry done: nothing', answered(503), { retries: defaultRetry.maxRetries }, []],
  ])('after %s', (_what, error, more, expected) => {
    expect(repeated(error, more)).toEqual(expected);
  });

  it('follows the caller who knows better', () => {
    const lost = new KubeError('Unavailable', 'lost');
    expect(decide(lost, { request: { method: 'POST', repeatable: true } })).toBeDefined();
    expect(decide(lost, { request: { method: 'GET', repeatable: false } })).toBeUndefined();
  });
});

describe('how long it waits', () => {
  it('grows, stays within bounds and is never less than the server asks', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        random,
        fc.nat(defaultRetry.maxRetries - 1),
        fc.option(fc.nat(600), { nil: undefined }),
        (dice, retries, seconds) => {
          const error = answered(503, seconds === undefined ? {} : { 'retry-after': String(seconds) });
          const { delayMs = Number.NaN } = decide(error, { retries, random: () => dice }) ?? {};
          const asked = (seconds ?? 0) * 1000;
          expect(delayMs).toBeGreaterThanOrEqual(asked);
          expect(delayMs).toBeLessThanOrEqual(asked + defaultRetry.maxDelayMs);
        },
      ),
    );
  });

  it('is next to nothing for the first reconnection', () => {
    expect(decide(new KubeError('Unavailable', 'lost'))?.delayMs).toBeLessThanOrEqual(10);
    expect(decide(new KubeError('Unavailable', 'lost'), { retries: 1 })?.delayMs).toBeGreaterThanOrEqual(100);
  });
});
