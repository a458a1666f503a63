import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../contracts/exchange.ts';
import { requestInfo } from '../requests/request-info.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { createRequestLimits, type RequestHold } from './request-limits.ts';

interface TestRequest extends RequestHold {
  end(): void;
}

const path = '/api/v1/namespaces/default/configmaps';

/** Sends requests to a server with these limits, which answers none of them until they end. */
function limited(limits: Partial<Limits>): (user: string, options?: RequestOptions) => TestRequest {
  const admit = createRequestLimits({ ...defaultLimits, ...limits });
  return (name, { query = '', groups = [], inProcess = false } = {}) => {
    const ending = new AbortController();
    const user = { name, groups };
    const parameters = new URLSearchParams(query);
    const request: ApiRequest = {
      method: 'GET',
      path,
      query: parameters,
      headers: {},
      readBody: async () => Buffer.alloc(0),
      signal: ending.signal,
      ...(inProcess && { user }),
    };
    return { ...admit(request, user, requestInfo('GET', path, parameters)), end: () => ending.abort() };
  };
}

interface RequestOptions {
  readonly query?: string;
  readonly groups?: readonly string[];
  readonly inProcess?: boolean;
}

/** With a time after which to try again. */
const refused = expect.objectContaining({
  code: 'TooManyRequests',
  apiStatus: expect.objectContaining({ details: { retryAfterSeconds: 1 } }),
});

describe('requests that are not answered yet', () => {
  it('are limited for each user, so that others are served', () => {
    const send = limited({ maxRequests: 10, maxRequestsPerUser: 2 });
    const first = send('a');
    send('a');
    expect(() => send('a')).toThrow(refused);
    send('b');
    first.end();
    send('a');
  });

  it('are limited for all users together, beyond the minimum of each', () => {
    const send = limited({ maxRequests: 4, maxRequestsPerUser: 3, minRequestsPerUser: 1 });
    for (const user of ['a', 'a', 'b', 'b']) send(user);
    expect(() => send('b')).toThrow(refused);
    send('c');
    expect(() => send('c')).toThrow(refused);
  });

  it('leave each user the minimum, up to what is reserved for it', () => {
    const send = limited({ maxReservedRequests: 8 });
    for (const user of ['a', 'b', 'c']) for (let sent = 0; sent < 200; sent++) send(user);
    for (let sent = 0; sent < 8; sent++) send('d');
    expect(() => send('d')).toThrow(refused);
    expect(() => send('e')).toThrow(refused);
  });

  it('are counted apart from watches', () => {
    const send = limited({ maxRequestsPerUser: 1, maxStreamsPerUser: 1 });
    send('a', { query: 'watch=1' });
    send('a');
    expect(() => send('a', { query: 'watch=1' })).toThrow(refused);
  });

  it.each<[string, RequestOptions]>([
    ['an administrator', { groups: ['system:masters'] }],
    ['this process', { inProcess: true }],
  ])('are not limited for %s', (_, options) => {
    const send = limited({ maxRequests: 1, maxRequestsPerUser: 1 });
    send('a', options);
    expect(() => send('a', options)).not.toThrow();
  });
});

describe.each(['body', 'answer'] as const)('bytes of each %s', (kind) => {
  const limits = {
    maxBodiesBytes: 25,
    maxBodiesBytesPerUser: 10,
    minBodiesBytesPerUser: 3,
    maxReservedBodiesBytes: 5,
    maxAnswersBytes: 25,
    maxAnswersBytesPerUser: 10,
    minAnswersBytesPerUser: 3,
    maxReservedAnswersBytes: 5,
  };

  it('are held until the request has ended', () => {
    const send = limited(limits);
    const first = send('a');
    first[kind](10);
    expect(() => send('a')[kind](1)).toThrow(refused);
    first.end();
    expect(() => send('a')[kind](10)).not.toThrow();
  });

  it('are limited for all users together, beyond the minimum of each', () => {
    const send = limited(limits);
    for (const user of ['a', 'b']) send(user)[kind](10);
    send('c')[kind](5);
    expect(() => send('d')[kind](4)).toThrow(refused);
    send('d')[kind](3);
    expect(() => send('e')[kind](3)).toThrow(refused);
  });

  it.each<[string, RequestOptions]>([
    ['an administrator', { groups: ['system:masters'] }],
    ['this process', { inProcess: true }],
  ])('are not limited for %s', (_, options) => {
    const send = limited(limits);
    for (const user of ['a', 'b']) send(user)[kind](10);
    send('c')[kind](5);
    const hold = send('d', options);
    expect(() => [10, 100].forEach((bytes) => void hold[kind](bytes))).not.toThrow();
  });

  it('may exceed the limit of a user in one piece, which could not be had otherwise', () => {
    expect(() => limited(limits)('a')[kind](20)).not.toThrow();
  });
});

describe('the answer to what is done', () => {
  it('is never refused, and counts for what comes next', () => {
    const send = limited({ maxAnswersBytesPerUser: 10 });
    send('a').answer(10);
    const last = send('a');
    last.doneAnswer(5);
    expect(() => send('a').answer(0)).toThrow(refused);
    last.end();
    expect(() => send('a').answer(0)).not.toThrow();
  });
});
