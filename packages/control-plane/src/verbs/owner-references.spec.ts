import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { expect, it } from 'vitest';
import { withUniqueOwners } from './owner-references.ts';

const owner = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-of-${name}` });
const namesOf = (object: ReturnType<typeof withUniqueOwners>) =>
  object.metadata?.ownerReferences?.map(({ name }) => name);

it('drops owners that are named twice, in whatever order their fields are, and says so', () => {
  const warnings: string[] = [];
  const { apiVersion, ...rest } = owner('a');
  const ownerReferences = [owner('a'), owner('b'), { ...rest, apiVersion }, { ...owner('b'), controller: true }];
  const object = withUniqueOwners({ warn: (text) => warnings.push(text) }, { metadata: { ownerReferences } }, 'sent');
  expect(namesOf(object)).toEqual(['a', 'b', 'b']);
  expect(warnings).toEqual([expect.stringContaining('duplicate UID(s) observed: uid-of-a')]);
});

it('does not hold up the event loop for an object with thousands of owners', async () => {
  const ownerReferences = Array.from({ length: 3000 }, (_, index) => owner(`owner-${index}`));
  const object = { metadata: { ownerReferences } };
  expect(await longestTurn(() => withUniqueOwners({ warn: () => {} }, object, 'sent'))).toBeLessThan(acceptableMs);
});
