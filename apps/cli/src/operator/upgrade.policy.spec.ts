import { expect, it } from 'vitest';
import { specFromValues } from './upgrade.policy.ts';

const live = { clusterName: 'c1', namespace: 'agents', deployOption: { mode: 'Default', local: {} } };

it('takes the same mode, where the object has more about how it is deployed', () => {
  expect(specFromValues({ klusterlet: { mode: 'Default', clusterName: 'c1' } }, 'klusterlet', { live })).toEqual({});
});

it('takes a mode that is the default of an object which names none', () => {
  expect(specFromValues({ clusterManager: { mode: 'Default' } }, 'clusterManager', { live: {} })).toEqual({});
});

it('ignores fields that a file has as empty, as the values of the charts are', () => {
  const klusterlet = { name: '', clusterName: '', namespace: '', hubApiServerHostAlias: {}, externalServerURLs: [] };
  expect(specFromValues({ klusterlet }, 'klusterlet', { live })).toEqual({ externalServerURLs: [] });
});

it.each([
  ['clusterName', 'c2', '"c1"'],
  ['namespace', 'others', '"agents"'],
  ['mode', 'Singleton', '"Default"'],
])('refuses another %s', (field, value, before) => {
  expect(() => specFromValues({ klusterlet: { [field]: value } }, 'klusterlet', { live })).toThrow(
    `an upgrade does not change ${field} from ${before} to "${value}"`,
  );
});
