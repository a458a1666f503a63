import { expect, test } from 'vitest';
import { isKept, withFreshUid } from './entries.ts';

test.each([
  ['/registry/clusterroles/admin', true],
  ['/registry/roles/kube-system/extension-apiserver-authentication-reader', true],
  ['/registry/apiextensions.k8s.io/customresourcedefinitions/ships.example.org', true],
  ['/registry/apiregistration.k8s.io/apiservices/v1.', true],
  ['/registry/namespaces/kube-system', false],
  ['/registry/configmaps/kube-system/extension-apiserver-authentication', false],
  ['/registry/secrets/kube-system/bootstrap-token-abcdef', false],
  ['/registry/leases/kube-system/apiserver-x', false],
  ['/registry/services/specs/default/kubernetes', false],
  ['/registry/example.org/ships/default/titanic', false],
])('%s is kept: %s', (key, kept) => {
  expect(isKept(key)).toBe(kept);
});

const uid = '0b0f6f0e-9a3c-4f4e-8a56-6f2f3b7c9d10';
const base64 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');
const fresh = (bytes: string) => {
  const [key, value] = withFreshUid(['/registry/key', base64(bytes)]);
  expect(key).toBe('/registry/key');
  return Buffer.from(value, 'base64').toString('latin1');
};

test.each([
  ['JSON', '{"metadata":{"name":"a","uid":"', '"}}'],
  ['protobuf, whose other bytes stay as they are', 'k8s\x00\x0a\x01a\x2a\x24', '\x42\xff\xfe\x80'],
])('a uid is replaced in %s', (_what, before, after) => {
  const [one, two] = [fresh(before + uid + after), fresh(before + uid + after)];
  for (const object of [one, two]) {
    expect([object.slice(0, before.length), object.slice(before.length + 36)]).toEqual([before, after]);
    expect(object.slice(before.length, before.length + 36)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  }
  expect(new Set([one, two, before + uid + after]).size).toBe(3);
});

test('what looks like a uid elsewhere stays', () => {
  const described = `{"description":"such as ${uid}"}`;
  expect(fresh(described)).toBe(described);
});
