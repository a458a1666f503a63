import { describe, expect, it, vi } from 'vitest';
import { KubeError } from './kube-error.ts';

const get = { method: 'GET', path: '/api/v1/namespaces/a/pods/b?x=secret' };
const status = (fields: object) => JSON.stringify({ kind: 'Status', status: 'Failure', ...fields });

describe('a KubeError', () => {
  it('starts its message with the code, once', () => {
    expect(new KubeError('Config', 'no server').message).toBe('Config: no server');
    expect(new KubeError('Config', 'Config: no server').message).toBe('Config: no server');
  });

  it('takes retryable and hint from the table by default', () => {
    expect(new KubeError('Unavailable', 'x')).toMatchObject({
      retryable: true,
      hint: expect.stringContaining('reachable'),
    });
    expect(new KubeError('Unavailable', 'x', { retryable: false, hint: 'wait' })).toMatchObject({
      retryable: false,
      hint: 'wait',
    });
  });

  it('keeps its cause', () => {
    const cause = new Error('below');
    expect(new KubeError('Internal', 'x', { cause }).cause).toBe(cause);
  });

  it('is recognised by another copy of the package', async () => {
    vi.resetModules();
    const { KubeError: Copy } = await import('./kube-error.ts');
    expect(Copy).not.toBe(KubeError);
    const error: unknown = new Copy('NotFound', 'x');
    expect(error).toBeInstanceOf(KubeError);
    expect(KubeError.is(error, 'Conflict', 'NotFound')).toBe(true);
    expect(KubeError.from(error)).toBe(error);
  });

  it.each([new Error('NotFound: x'), { code: 'NotFound' }, 'NotFound', undefined, null])('is not %s', (value) => {
    expect(value).not.toBeInstanceOf(KubeError);
    expect(KubeError.is(value, 'NotFound')).toBe(false);
  });
});

describe('fromResponse', () => {
  it.each([
    [400, 'BadRequest', 'BadRequest'],
    [401, 'Unauthorized', 'Unauthorized'],
    [403, 'Forbidden', 'Forbidden'],
    [404, 'NotFound', 'NotFound'],
    [405, 'MethodNotAllowed', 'MethodNotAllowed'],
    [406, 'NotAcceptable', 'NotAcceptable'],
    [409, 'AlreadyExists', 'AlreadyExists'],
    [409, 'Conflict', 'Conflict'],
    [410, 'Expired', 'Expired'],
    [410, 'Gone', 'Expired'],
    [413, 'RequestEntityTooLarge', 'RequestTooLarge'],
    [415, 'UnsupportedMediaType', 'UnsupportedMediaType'],
    [422, 'Invalid', 'Invalid'],
    [429, 'TooManyRequests', 'TooManyRequests'],
    [500, 'InternalError', 'Internal'],
    [500, 'ServerTimeout', 'Timeout'],
    [503, 'ServiceUnavailable', 'Unavailable'],
    [504, 'Timeout', 'Timeout'],
  ])('maps %i with reason %s to %s', (code, reason, expected) => {
    expect(KubeError.fromResponse(get, code, status({ reason, message: 'm' }))).toMatchObject({
      code: expected,
      status: code,
      reason,
    });
  });

  it.each([
    [301, 'Decode'],
    [400, 'BadRequest'],
    [401, 'Unauthorized'],
    [408, 'Timeout'],
    [409, 'Conflict'],
    [418, 'BadRequest'],
    [500, 'Internal'],
    [502, 'Unavailable'],
    [503, 'Unavailable'],
    [504, 'Timeout'],
    [507, 'Internal'],
  ])('maps a bare %i to %s', (code, expected) => {
    expect(KubeError.fromResponse(get, code, '')).toMatchObject({ code: expected, status: code });
  });

  it('shows method and path, but not the query', () => {
    const error = KubeError.fromResponse(get, 404, status({ reason: 'NotFound', message: 'pods "b" not found' }));
    expect(error.message).toBe('NotFound: GET /api/v1/namespaces/a/pods/b answered 404: pods "b" not found');
  });

  it('shows a short plain text of a proxy and only measures a page', () => {
    const text = KubeError.fromResponse(get, 502, 'upstream is down\n', {
      'content-type': 'text/plain; charset=utf-8',
    });
    expect(text.message).toContain('answered 502: upstream is down');
    const page = KubeError.fromResponse(get, 502, '<html>token=abc</html>', { 'content-type': 'text/html' });
    expect(page.message).toContain('22 characters of text/html');
    expect(page.message).not.toContain('abc');
  });

  it('keeps the causes of a validation failure', () => {
    const details = {
      name: 'b',
      causes: [{ reason: 'FieldValueRequired', field: 'spec.x', message: 'Required value' }],
    };
    expect(KubeError.fromResponse(get, 422, status({ reason: 'Invalid', message: 'm', details })).details).toEqual(
      details,
    );
  });

  it.each([
    ['a header in seconds', { 'retry-after': '3' }, {}, 3000],
    [
      'a header with a date, on the clock of the server',
      { 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT', date: 'Thu, 01 Jan 2026 00:00:04 GMT' },
      {},
      6000,
    ],
    ['the status', {}, { details: { retryAfterSeconds: 2 } }, 2000],
    ['nobody', {}, {}, undefined],
  ])('knows how long to wait from %s', (_who, headers, fields, expected) => {
    const error = KubeError.fromResponse(get, 429, status({ reason: 'TooManyRequests', ...fields }), headers);
    expect(error.retryAfterMs).toBe(expected);
  });

  it('redacts tokens in messages of the server', () => {
    const token = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl';
    const error = KubeError.fromResponse(get, 401, status({ message: `bad token ${token}, header Bearer abc.def` }));
    expect(JSON.stringify({ ...error, message: error.message })).not.toMatch(/eyJ|abc\.def/);
  });
});

describe('fromStatus', () => {
  it('turns the ERROR event of a watch into its code', () => {
    const error = KubeError.fromStatus('watch of pods', {
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: 'too old',
    });
    expect(error).toMatchObject({ code: 'Expired', status: 410, message: 'Expired: watch of pods: too old' });
  });

  it('refuses what is not a Status', () => {
    expect(KubeError.fromStatus('watch of pods', { kind: 'Pod' }).code).toBe('Decode');
  });
});

describe('from', () => {
  const coded = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });

  it.each([
    ['an abort', new DOMException('gone', 'AbortError'), 'Canceled', false],
    ['a timeout of a signal', new DOMException('late', 'TimeoutError'), 'Timeout', true],
    ['a refused connection', coded('ECONNREFUSED'), 'Unavailable', true],
    ['a reset connection', coded('ECONNRESET'), 'Unavailable', true],
    ['an unknown host', coded('ENOTFOUND'), 'Unavailable', true],
    ['a broken HTTP/2 session', coded('ERR_HTTP2_SESSION_ERROR'), 'Unavailable', true],
    ['an expired certificate', coded('CERT_HAS_EXPIRED'), 'Tls', false],
    ['a wrong name', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'Tls', false],
    ['an unknown CA', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'Tls', false],
    ['a refused handshake', coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'Tls', false],
    ['a missing file', coded('ENOENT'), 'Config', false],
    ['a cause', new TypeError('fetch failed', { cause: coded('EPIPE') }), 'Unavailable', true],
    ['several addresses', new AggregateError([coded('EHOSTUNREACH'), coded('ECONNREFUSED')]), 'Unavailable', true],
    ['broken JSON', new SyntaxError('Unexpected token'), 'Decode', false],
    ['a bug', new TypeError('x is undefined'), 'Internal', false],
    ['a string', 'boom', 'Internal', false],
    ['nothing', undefined, 'Internal', false],
  ])('reads %s', (_what, caught, code, retryable) => {
    const error = KubeError.from(caught, 'GET /x');
    expect(error).toMatchObject({ code, retryable, cause: caught });
    expect(error.message.startsWith(`${code}: GET /x: `)).toBe(true);
  });
});
