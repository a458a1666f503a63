import { expect, it } from 'vitest';
import { configHashes } from './config-hashes.ts';

it.each<[string, Parameters<typeof configHashes>[0], string | undefined]>([
  ['without references there is none', [], undefined],
  ['without a desired config there is an empty one', [{ group: 'g', resource: 'r' }], '{}'],
  [
    'keys have the group and the namespace where there is one, in their order',
    [
      { group: '', resource: 'r', desiredConfig: { name: 'n', specHash: 'h2' } },
      { group: 'g', resource: 'r', desiredConfig: { namespace: 'ns', name: 'n', specHash: 'h1' } },
    ],
    '{"r.g/ns/n":"h1","r//n":"h2"}',
  ],
])('[addons 82] hashes of configurations: %s', (_, references, expected) => {
  expect(configHashes(references)).toBe(expected);
});
