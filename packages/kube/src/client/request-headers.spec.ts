import { describe, expect, it } from 'vitest';
import { accessHeaders, requestHeaders } from './request-headers.ts';

describe('headers', () => {
  it('of an access carry identity and impersonation, with keys of extras escaped', () => {
    const impersonate = { user: 'bob', uid: '7', groups: ['a', 'b'], extra: { 'Acme.com/Scope': ['x'] } };
    expect(accessHeaders({ server: 's', origin: 'o', authorization: 'Bearer t', impersonate }, 'spec')).toEqual({
      'user-agent': 'spec',
      authorization: 'Bearer t',
      'impersonate-user': 'bob',
      'impersonate-uid': '7',
      'impersonate-group': ['a', 'b'],
      'impersonate-extra-acme.com%2Fscope': ['x'],
    });
  });

  it('of a request cannot replace the identity', () => {
    const common = accessHeaders({ server: 's', origin: 'o', authorization: 'Bearer t' }, 'spec');
    const headers = requestHeaders(
      { method: 'GET', path: '/', headers: { Authorization: 'Bearer x', Accept: 'text/plain' } },
      common,
      true,
    );
    expect(headers).toEqual({
      accept: 'text/plain',
      'accept-encoding': 'gzip',
      authorization: 'Bearer t',
      'user-agent': 'spec',
    });
  });
});
