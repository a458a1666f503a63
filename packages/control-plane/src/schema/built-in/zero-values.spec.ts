import { expect, it } from 'vitest';
import { defaulted } from '../../../fixtures/object-schemas.ts';

it('what is empty and may be left out is left out', () => {
  const object = defaulted('/configmaps', { metadata: { labels: {}, annotations: null }, data: {}, immutable: null });
  expect(object).toEqual({ metadata: { name: 'a', namespace: 'default' } });
});

it('a false behind a pointer stays, any other goes', () => {
  const spec = { hostNetwork: false, automountServiceAccountToken: false, containers: [] };
  const object = defaulted('/pods', { spec });
  expect(object).toMatchObject({ spec: { automountServiceAccountToken: false } });
  expect(object).not.toHaveProperty('spec.hostNetwork');
});

it('structs that no client set are written', () => {
  expect(defaulted('apps/deployments', { spec: {} })).toMatchObject({
    spec: { selector: null, template: { metadata: {}, spec: { containers: null } } },
    status: {},
  });
});

it('a null in a map of texts is an empty text', () => {
  expect(defaulted('/secrets', { data: { a: null } })).toMatchObject({ data: { a: '' } });
});

it('an empty list is none', () => {
  expect(defaulted('rbac.authorization.k8s.io/roles', { rules: [] })).toMatchObject({ rules: null });
});

it('a struct behind a pointer is kept though it is empty', () => {
  expect(
    defaulted('networking.k8s.io/networkpolicies', { spec: { ingress: [{ from: [{ podSelector: {} }] }] } }),
  ).toMatchObject({
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
  });
});

it('setting defaults twice changes nothing', () => {
  const once = defaulted('apps/deployments', { spec: { template: { spec: { containers: [{ name: 'x' }] } } } });
  expect(defaulted('apps/deployments', once)).toEqual(once);
});
