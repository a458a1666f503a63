import type { ClusterManagementAddOn, ClusterManagementAddOnStatus } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { adc, config, hubOf, placement } from '../fixtures/hub.ts';
import { startManager } from '../fixtures/running-manager.ts';
import { nextProgress } from './install-progression.policy.ts';

const other = { group: 'b.example.com', resource: 'things' } as const;
const desired = (name: string, specHash = '') => ({ ...adc, desiredConfig: { namespace: 'ns', name, specHash } });
const addOn = (
  spec: ClusterManagementAddOn['spec'],
  status?: ClusterManagementAddOnStatus,
): ClusterManagementAddOn => ({ metadata: { name: 'hello' }, spec, ...(status && { status }) });
const byPlacements = (...placements: ReturnType<typeof placement>[]) => ({
  installStrategy: { type: 'Placements' as const, placements },
});

describe('the configurations of an add-on', () => {
  it('[addons 23] are its defaults alone when it is installed by hand', () => {
    expect(nextProgress(addOn({ defaultConfigs: [config('d')] }, { installProgressions: [placement('p')] }))).toEqual({
      defaultConfigReferences: [desired('d')],
      installProgressions: [],
    });
  });

  it('[addons 24] leave out defaults without a name', () => {
    const defaultConfigs = [
      { ...adc, name: '' },
      { ...other, name: '__reserved_no_default__' },
    ];
    const next = nextProgress(addOn({ defaultConfigs, ...byPlacements(placement('p')) }));
    expect(next).toEqual({
      defaultConfigReferences: [],
      installProgressions: [{ namespace: 'ns', name: 'p', configReferences: [] }],
    });
  });

  it('[addons 25] of a placement are the defaults and those of other kinds, sorted by group and resource', () => {
    const spec = {
      defaultConfigs: [{ ...other, name: 'd2' }, config('d')],
      ...byPlacements(
        placement('p'),
        placement('q', { configs: [{ group: 'a.example.com', resource: 'xs', name: 'x' }] }),
      ),
    };
    const progressions = nextProgress(addOn(spec))?.installProgressions ?? [];
    expect(progressions.map((each) => each.configReferences?.map(({ desiredConfig }) => desiredConfig?.name))).toEqual([
      ['d', 'd2'],
      ['x', 'd', 'd2'],
    ]);
  });

  it('[addons 26, Q4] of a placement replace the default of their kind, in the order of the spec', () => {
    const spec = {
      defaultConfigs: [config('d')],
      ...byPlacements(placement('p', { configs: [config('z'), config('a')] })),
    };
    expect(nextProgress(addOn(spec))?.installProgressions?.[0]?.configReferences).toEqual([desired('z'), desired('a')]);
  });

  it('keep their hashes, and what is known of a rollout, while the objects are the same', () => {
    const good = { namespace: 'ns', name: 'd', specHash: 'h1' };
    const conditions = [
      {
        type: 'Progressing',
        status: 'True' as const,
        reason: 'R',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    const known = { ...desired('d', 'h2'), lastAppliedConfig: good, lastKnownGoodConfig: good };
    const status = {
      defaultConfigReferences: [desired('d', 'h2')],
      installProgressions: [{ namespace: 'ns', name: 'p', configReferences: [known], conditions }],
    };
    const spec = { defaultConfigs: [config('d')], ...byPlacements(placement('p')) };
    expect(nextProgress(addOn(spec, status))).toBeUndefined();
    const switched = nextProgress(
      addOn({ ...spec, ...byPlacements(placement('p', { configs: [config('e')] })) }, status),
    );
    expect(switched).toEqual({
      defaultConfigReferences: [desired('d', 'h2')],
      installProgressions: [{ namespace: 'ns', name: 'p', configReferences: [desired('e')] }],
    });
  });

  it('[addons 21] of placements are left to the author of an add-on that manages itself; its defaults are not', () => {
    const installProgressions = [{ namespace: 'ns', name: 'own', configReferences: [desired('x')] }];
    const own: ClusterManagementAddOn = {
      ...addOn({ defaultConfigs: [config('d')], ...byPlacements(placement('p')) }, { installProgressions }),
      metadata: { name: 'hello', annotations: { 'addon.open-cluster-management.io/lifecycle': 'self' } },
    };
    expect(nextProgress(own)).toEqual({ defaultConfigReferences: [desired('d')], installProgressions });
  });

  it('are written once', async () => {
    await using manager = await startManager(['c0']);
    const hub = hubOf(manager);
    await hub.select('p', ['c0']);
    await hub.install([placement('p')], { defaultConfigs: [config('d')] });
    expect((await hub.cmas.get('hello')).status).toMatchObject({
      defaultConfigReferences: [desired('d')],
      installProgressions: [{ namespace: 'ns', name: 'p', configReferences: [desired('d')] }],
    });
    manager.takeWrites();
    await manager.restart();
    expect(manager.takeWrites()).toEqual([]);
  });
});
