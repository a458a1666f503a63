import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseServiceAccountUser, serviceAccountUser } from './service-account-name.ts';

const cases: Record<string, [string, object | undefined]> = {
  'a namespace and a name': ['system:serviceaccount:a:b', { namespace: 'a', name: 'b' }],
  'a name with dots': ['system:serviceaccount:a:b.c', { namespace: 'a', name: 'b.c' }],
  'another prefix': ['system:node:a:b', undefined],
  'no name': ['system:serviceaccount:a', undefined],
  'an empty name': ['system:serviceaccount:a:', undefined],
  'one part too many': ['system:serviceaccount:a:b:c', undefined],
  'a namespace with a dot': ['system:serviceaccount:a.b:c', undefined],
  'capital letters': ['system:serviceaccount:A:b', undefined],
};
test.each(Object.entries(cases))('a user name with %s is read as it should be', (_, [user, expected]) => {
  expect(parseServiceAccountUser(user)).toEqual(expected);
});

test('what is written is read again', () => {
  const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
  fc.assert(
    fc.property(name, name, (namespace, account) => {
      expect(parseServiceAccountUser(serviceAccountUser(namespace, account))).toEqual({ namespace, name: account });
    }),
  );
});
