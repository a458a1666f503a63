import { KubeError } from '@flotilla/kube';
import { describe, expect, it } from 'vitest';
import { serializeError } from './serialize-error.ts';

describe('a logged error', () => {
  it('has code, hint and the chain of causes', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const error = new KubeError('Unavailable', 'GET /version: no answer', {
      hint: 'start it',
      cause: refused,
      status: 503,
    });
    const logged = serializeError(new Error('hub is not there', { cause: error }));
    expect(logged).toMatchObject({
      name: 'Error',
      message: 'hub is not there',
      cause: {
        name: 'KubeError',
        code: 'Unavailable',
        hint: 'start it',
        status: 503,
        retryable: true,
        cause: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
      },
    });
  });

  it('keeps only the outermost stack', () => {
    const logged = serializeError(new Error('outer', { cause: new Error('inner') }));
    expect(logged.stack).toContain('outer');
    expect(logged.cause).not.toHaveProperty('stack');
  });

  it('lists the members of an aggregate', () => {
    const logged = serializeError(new AggregateError([new Error('a'), 'b'], 'both'));
    expect(logged.errors?.map((member) => member.message)).toEqual(['a', 'b']);
  });

  it('is made of anything that can be thrown', () => {
    expect(serializeError('boom')).toEqual({ name: 'Thrown', message: 'boom' });
    expect(serializeError(undefined)).toEqual({ name: 'Thrown', message: 'undefined' });
  });

  it('ends although the error is its own cause', () => {
    const error = new Error('loop');
    error.cause = error;
    expect(JSON.stringify(serializeError(error)).length).toBeLessThan(10_000);
  });
});
