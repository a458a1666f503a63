import { KubeError } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { answerHeaders, checkedRequest } from './request.policy.ts';

const head = {
  clusterName: 'c1',
  addOnName: 'a',
  method: 'GET',
  path: '/api/v1/pods?watch=true',
  headers: [],
} as const;
const refusalOf = (more: object): KubeError => {
  try {
    checkedRequest({ ...head, ...more });
  } catch (error) {
    return KubeError.from(error);
  }
  throw new Error('it was not refused');
};

describe('a request that is forwarded', () => {
  it('has the headers about its content, and no other', () => {
    const headers = [
      ['Accept', 'application/json'],
      ['Accept', 'application/vnd.kubernetes.protobuf'],
      ['Content-Type', 'application/merge-patch+json'],
      ['Authorization', 'Bearer theirs'],
      ['Connection', 'keep-alive'],
      ['Transfer-Encoding', 'chunked'],
      ['Host', 'elsewhere'],
      ['X-Remote-User', 'admin'],
      ['X-Remote-Group', 'system:masters'],
      ['X-Forwarded-For', '::1'],
      ['Cookie', 'c'],
      ['User-Agent', 'client-go/1'],
    ] as const;
    expect(checkedRequest({ ...head, headers })).toEqual({
      method: 'GET',
      path: head.path,
      headers: {
        accept: 'application/json, application/vnd.kubernetes.protobuf',
        'content-type': 'application/merge-patch+json',
      },
      userAgent: 'client-go/1 (by gRPC for add-on a of cluster c1)',
    });
  });

  it.each([
    ['by another method', { method: 'CONNECT' }, 405, /"CONNECT"/],
    ['to upgrade the connection', { headers: [['Upgrade', 'SPDY/3.1']] }, 400, /exec, attach and port-forward/],
    ['as another user', { headers: [['Impersonate-User', 'system:admin']] }, 403, /cannot impersonate/],
    ['with other groups', { headers: [['impersonate-group', 'system:masters']] }, 403, /cannot impersonate/],
    ['with more about the user', { headers: [['IMPERSONATE-EXTRA-x', 'y']] }, 403, /cannot impersonate/],
    ['for another server', { path: 'https://other/api' }, 400, /not a path/],
    ['for another server without a scheme', { path: '//other/api' }, 400, /not a path/],
    ['with a line break in the path', { path: '/api\r\nHost: x' }, 400, /not a path/],
    ['with a fragment', { path: '/api#x' }, 400, /not a path/],
    ['that climbs', { path: '/api/v1/../../x' }, 400, /not a path/],
    ['that climbs in disguise', { path: '/api/%2e%2E/x' }, 400, /not a path/],
    ['without a path', { path: '' }, 400, /not a path/],
    ['with a line break in a header', { headers: [['accept', 'a\r\nx: y']] }, 400, /control characters/],
  ])('is refused %s', (_, more, status, message) => {
    const error = refusalOf(more);
    expect(error.status).toBe(status);
    expect(error.message).toMatch(message);
  });

  it('is not refused for two dots in a query or a name', () => {
    expect(checkedRequest({ ...head, path: '/api/v1/x/a..b?y=/../' }).path).toBe('/api/v1/x/a..b?y=/../');
  });
});

it('an answer has the headers about its content, and no other', () => {
  const about = [
    ['content-type', 'a'],
    ['warning', '299 - "x"'],
    ['warning', '299 - "y"'],
  ] as const;
  expect(answerHeaders([...about, ['set-cookie', 'x'], ['connection', 'close'], ['transfer-encoding', 'x']])).toEqual(
    about,
  );
});
