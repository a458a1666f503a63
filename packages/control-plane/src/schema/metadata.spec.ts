import { expect, it } from 'vitest';
import { refusals } from '../../fixtures/object-schemas.ts';

const qualified = (part: string): string =>
  `${part} must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;

it.each([
  ['an object has a name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
  [
    'keys of labels are checked',
    { labels: { 'a b': 'c' } },
    [`metadata.labels: Invalid value: "a b": ${qualified('name part')}`],
  ],
  [
    'annotations may be in upper case, but not without end',
    { annotations: { 'A.com/x': 'y'.repeat(262145) } },
    ['metadata.annotations: Too long: may not be more than 262144 bytes'],
  ],
  [
    'an owner is named in full',
    { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: '', uid: 'u' }] },
    ['metadata.ownerReferences.name: Invalid value: "": must not be empty'],
  ],
  [
    'an object has one controller',
    {
      ownerReferences: ['x', 'y'].map((name) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: 'u', controller: true })),
    },
    [
      expect.stringContaining(
        'Only one reference can have Controller set to true. Found "true" in references for Pod/x and Pod/y',
      ),
    ],
  ],
  [
    'a finalizer has a domain',
    { finalizers: ['mine'] },
    [
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ],
  [
    'an object is not orphaned and waited for at once',
    { finalizers: ['orphan', 'foregroundDeletion'] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
])('%s', async (_what, metadata, expected) => {
  expect(await refusals('/configmaps', { metadata })).toEqual(expected);
});

it.each([
  ['names of roles may be almost anything', 'rbac.authorization.k8s.io/roles', 'system:A b', []],
  [
    'names of namespaces have no dots',
    '/namespaces',
    'a.b',
    ['metadata.name: Invalid value: "a.b": must not contain dots'],
  ],
])('%s', async (_what, storage, name, expected) => {
  expect(await refusals(storage, { metadata: { name } })).toEqual(expected);
});
