import { KubeError } from '@flotilla/kube';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { MalformedEvent } from '../event/malformed.ts';
import { fromCallError, toCallStatus, toStreamStatus } from './error-status.ts';

const notFound = {
  kind: 'Status',
  message: 'managedclusters.cluster.open-cluster-management.io "test" not found',
  reason: 'NotFound',
  details: { name: 'test', group: 'cluster.open-cluster-management.io', kind: 'managedclusters' },
  code: 404,
};

describe('the answer of the API', () => {
  it('goes to an agent of OCM as it expects it, and comes back [grpc-cloudevents 26.5-52]', () => {
    const call = toCallStatus(KubeError.fromStatus('get', notFound));
    expect(call.code).toBe(status.FAILED_PRECONDITION);
    expect(JSON.parse(call.details)).toMatchObject({
      ErrStatus: { metadata: {}, status: 'Failure', reason: 'NotFound', code: 404, details: notFound.details },
    });
    expect(fromCallError('publish', call)).toMatchObject({ code: 'NotFound', status: 404, details: notFound.details });
  });

  it('is read whatever the code of the call is', () => {
    const details = JSON.stringify({ ErrStatus: { ...notFound, reason: 'Conflict', code: 409 } });
    expect(fromCallError('publish', { code: status.UNKNOWN, details })).toMatchObject({ code: 'Conflict' });
  });

  it('is shortened to what fits into headers', () => {
    const causes = Array.from({ length: 1000 }, (_, index) => ({ field: `spec.x[${index}]`, message: 'wrong' }));
    const error = KubeError.fromStatus('create', {
      ...notFound,
      message: 'x'.repeat(10_000),
      reason: 'Invalid',
      code: 422,
      details: { ...notFound.details, causes },
    });
    const call = toCallStatus(error);
    expect(call.details.length).toBeLessThan(8192);
    expect(fromCallError('publish', call)).toMatchObject({ code: 'Invalid', details: notFound.details });
  });
});

describe('other errors', () => {
  it.each([
    ['a malformed event', new MalformedEvent('type is wrong'), status.INVALID_ARGUMENT, 'BadRequest'],
    ['a denial', new KubeError('Forbidden', 'access denied'), status.PERMISSION_DENIED, 'Forbidden'],
    ['an unknown caller', new KubeError('Unauthorized', 'who?'), status.UNAUTHENTICATED, 'Unauthorized'],
    ['an API that is away', new KubeError('Unavailable', 'down'), status.UNAVAILABLE, 'Unavailable'],
    ['anything else, with its text', new Error('disk full'), status.FAILED_PRECONDITION, 'Internal'],
  ])('have a code and a reason: %s', (_, error, code, expected) => {
    const call = toCallStatus(error);
    expect(call.code).toBe(code);
    expect(fromCallError('publish', call)).toMatchObject({
      code: expected,
      message: expect.stringContaining(error.message),
    });
    expect(toStreamStatus(error)).toEqual({ code, details: error.message });
  });

  it.each([
    [status.UNAUTHENTICATED, 'invalid token', 'Unauthorized'],
    [status.PERMISSION_DENIED, 'access denied', 'Forbidden'],
    [status.UNAVAILABLE, 'no connection', 'Unavailable'],
    [status.DEADLINE_EXCEEDED, 'late', 'Timeout'],
    [status.CANCELLED, 'closed', 'Canceled'],
    [status.FAILED_PRECONDITION, '{}', 'Internal'],
    [status.UNKNOWN, '{"ErrStatus":', 'Internal'],
  ])('of a server of OCM are known: %i %s', (code, details, expected) => {
    expect(fromCallError('publish', { code, details }).code).toBe(expected);
  });
});
