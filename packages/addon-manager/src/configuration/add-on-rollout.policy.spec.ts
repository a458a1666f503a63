import type { AddOnConfigReference, ManagedClusterAddOn } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import type { DesiredConfig } from '../configs/config.ts';
import { adc, config } from '../fixtures/hub.ts';
import { addOnRolloutOf, configReferencesFor, desiredConfigsFor } from './add-on-rollout.policy.ts';

const desired = (name: string, specHash = 'h', group: string = adc.group): DesiredConfig => ({
  group,
  resource: adc.resource,
  namespace: 'ns',
  name,
  specHash,
});
const hash = (name: string, specHash = 'h') => ({ namespace: 'ns', name, specHash });
const reference = (name: string, specHash = 'h', applied?: string): AddOnConfigReference => ({
  ...adc,
  lastObservedGeneration: 3,
  desiredConfig: hash(name, specHash),
  ...(applied !== undefined && { lastAppliedConfig: hash(name, applied) }),
});
const since = '2026-01-01T00:00:10Z';
const addOn = (configReferences: AddOnConfigReference[], reason?: string): ManagedClusterAddOn => ({
  metadata: { namespace: 'c1', name: 'hello' },
  spec: {},
  status: {
    configReferences,
    conditions: reason ? [{ type: 'Progressing', status: 'True', reason, message: '', lastTransitionTime: since }] : [],
  },
});

describe('how far configurations are on a cluster', () => {
  const time = { lastTransitionTime: Date.parse(since) };
  it.each([
    ['to apply when there are fewer', [], [desired('a')], 'Completed', { status: 'ToApply' }],
    ['to apply when another is there', [reference('b', 'h', 'h')], [desired('a')], 'Completed', { status: 'ToApply' }],
    ['to apply when the content differs', [reference('a', 'old', 'old')], [desired('a')], '', { status: 'ToApply' }],
    ['to apply when a reference says nothing', [{ ...adc }], [desired('a')], '', { status: 'ToApply' }],
    ['failed when the works cannot be read', [reference('a')], [desired('a')], 'Failed', { status: 'Failed', ...time }],
    ['progressing', [reference('a', 'h', 'x')], [desired('a')], 'Progressing', { status: 'Progressing', ...time }],
    ['progressing since an unknown time', [reference('a')], [desired('a')], 'Other', { status: 'Progressing' }],
    ['succeeded', [reference('a', 'h', 'h')], [desired('a')], 'Completed', { status: 'Succeeded', ...time }],
    [
      'succeeded since an unknown time',
      [reference('a', 'h', 'h')],
      [desired('a')],
      'Progressing',
      { status: 'Succeeded' },
    ],
    ['succeeded without any', [], [], 'Completed', { status: 'Succeeded', ...time }],
  ] as const)('is %s', (_, references, wanted, reason, expected) => {
    expect(addOnRolloutOf(addOn([...references], reason), wanted)).toEqual(expected);
  });

  it('is decided by the first reference that is not done', () => {
    const references = [reference('a', 'h', 'old'), reference('b', 'old', 'old')];
    expect(addOnRolloutOf(addOn(references, 'Progressing'), [desired('a'), desired('b')]).status).toBe('Progressing');
    expect(addOnRolloutOf(addOn(references.reverse(), 'Progressing'), [desired('a'), desired('b')]).status).toBe(
      'ToApply',
    );
  });
});

describe('the configurations that an add-on should have', () => {
  it('[addons 32, 33] are its own for the kinds that it names, with the hashes of its status', () => {
    const own: ManagedClusterAddOn = { ...addOn([reference('mine', 'h9')]), spec: { configs: [config('mine')] } };
    expect(desiredConfigsFor(own, [desired('default'), desired('other', 'h', 'z')])).toEqual([
      desired('mine', 'h9'),
      desired('other', 'h', 'z'),
    ]);
    // A new hash in its status is what it should have, and not something to roll out.
    const edited = { ...own, status: { configReferences: [reference('mine', 'h10', 'h9')] } };
    expect(addOnRolloutOf(edited, desiredConfigsFor(edited, [desired('default')])).status).toBe('Progressing');
  });

  it('[addons 35] are exactly its own two of a kind', () => {
    const own: ManagedClusterAddOn = { ...addOn([]), spec: { configs: [config('m1'), config('m2')] } };
    expect(desiredConfigsFor(own, [desired('p1'), desired('p2')]).map(({ name }) => name)).toEqual(['m1', 'm2']);
  });
});

describe('the references of an add-on', () => {
  it('[addons 37] start empty for another object', () => {
    expect(configReferencesFor([reference('old', 'h', 'h')], [desired('new', '')])).toEqual([
      { ...adc, lastObservedGeneration: 0, desiredConfig: hash('new', '') },
    ]);
  });

  it('[addons 38] keep what was applied when only the content changes', () => {
    expect(configReferencesFor([reference('a', 'h1', 'h1')], [desired('a', 'h2')])).toEqual([
      reference('a', 'h2', 'h1'),
    ]);
  });

  it('are grouped by kind, those that were there first', () => {
    const existing = [reference('b'), reference('a')];
    const wanted = [desired('x', '', 'a.example.com'), desired('a'), desired('c'), desired('b')];
    expect(configReferencesFor(existing, wanted).map(({ desiredConfig }) => desiredConfig?.name)).toEqual([
      'x',
      'b',
      'a',
      'c',
    ]);
  });

  it('[addons 36] name a configuration once', () => {
    expect(configReferencesFor([reference('a'), reference('a')], [desired('a')])).toEqual([reference('a')]);
  });
});
