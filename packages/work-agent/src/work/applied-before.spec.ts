import type { AppliedManifestWork, ManifestWork } from '@flotilla/api-types';
import { expect, it } from 'vitest';
import { appliedBefore } from './applied-before.ts';

const workOf = (name: string, change: Partial<ManifestWork> = {}): ManifestWork => ({
  metadata: { namespace: 'c1', name },
  spec: {},
  ...change,
});
const recordOf = (name: string): AppliedManifestWork => ({
  metadata: { name },
  spec: { hubHash: 'hub', agentID: 'hub', manifestWorkName: name },
  status: {
    appliedResources: [{ group: '', version: 'v1', resource: 'secrets', namespace: 'ns', name, uid: `uid-${name}` }],
  },
});
const serviceAccount = { namespace: 'ns', name: 'reader' };

it.each([
  ['is listed with what its record has', workOf('w'), ['work w ns/hub-w']],
  [
    'is left out if an executor applies it',
    workOf('w', { spec: { executor: { subject: { type: 'ServiceAccount', serviceAccount } } } }),
    [],
  ],
  [
    'is left out if it is being deleted',
    workOf('w', { metadata: { namespace: 'c1', name: 'w', deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    [],
  ],
  ['is left out if it has no record', workOf('new'), []],
])('a work %s', (_, work, expected) => {
  const records = { get: (name: string) => (name === 'hub-w' ? recordOf(name) : undefined) };
  const found = appliedBefore({ list: () => [work] }, records, 'hub', ({ metadata }) => `work ${metadata?.name}`);
  expect(found.map(({ holder, address }) => `${holder} ${address.key}`)).toEqual(expected);
});
