import { describe, expect, it } from 'vitest';
import { remoteUser, trustOf } from './front-proxy.ts';

const data = {
  'requestheader-client-ca-file': 'PEM',
  'requestheader-allowed-names': '["front-proxy-client"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
};

describe('the front proxy of an API server', () => {
  it('is read from what the API server publishes', () => {
    expect(trustOf({ data })).toMatchObject({ ca: 'PEM', allowedNames: ['front-proxy-client'], uidHeaders: [] });
  });

  it.each<[string, Record<string, string>]>([
    ['there is no authority', { ...data, 'requestheader-client-ca-file': '' }],
    ['no header names users', { ...data, 'requestheader-username-headers': '[]' }],
    ['what names them cannot be read', { ...data, 'requestheader-username-headers': '[' }],
  ])('is nobody if %s', (_, broken) => {
    expect(trustOf({ data: broken })).toBeUndefined();
    expect(trustOf(undefined)).toBeUndefined();
  });

  it('names a user, with groups that may hold commas and extra keys that are escaped', () => {
    const trust = trustOf({ data });
    const headers = {
      'x-remote-user': ['alice'],
      'x-remote-group': ['a,b', 'c'],
      'x-remote-extra-example.com%2fscopes': ['x'],
      'x-remote-uid': ['not trusted here'],
    };
    expect(trust && remoteUser(trust, headers)).toEqual({
      name: 'alice',
      groups: ['a,b', 'c'],
      extra: { 'example.com/scopes': ['x'] },
    });
    expect(trust && remoteUser(trust, { 'x-remote-group': ['a'] })).toBeUndefined();
  });
});
