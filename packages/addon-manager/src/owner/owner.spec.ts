import type { OwnerReference } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { hubOf } from '../fixtures/hub.ts';
import { startManager } from '../fixtures/running-manager.ts';
import { withOwner } from './owner.policy.ts';

const owner: OwnerReference = {
  apiVersion: 'addon.open-cluster-management.io/v1beta1',
  kind: 'ClusterManagementAddOn',
  name: 'hello',
  uid: 'u1',
  controller: true,
  blockOwnerDeletion: true,
};
const other: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'hello', uid: 'u2' };

describe('the owners of an add-on', () => {
  it.each([
    ['are completed', [other], [other, owner]],
    ['have the newest version', [{ ...owner, apiVersion: 'addon.open-cluster-management.io/v1alpha1' }], [owner]],
    ['do not have an earlier object of the name', [{ ...owner, uid: 'u0' }, other], [owner, other]],
    ['have its flags', [{ ...owner, controller: undefined }], [owner]],
    ['have it once', [{ ...owner, uid: 'u0' }, owner], [owner]],
    [
      'keep their controller',
      [{ ...other, controller: true }],
      [
        { ...other, controller: true },
        { ...owner, controller: false },
      ],
    ],
  ] as const)('[addons 20] %s', (_, before, after) => {
    expect(withOwner(before as readonly OwnerReference[], owner)).toEqual(after);
  });

  it('[addons 20] are the same list when nothing changes', () => {
    const references = [other, owner];
    expect(withOwner(references, owner)).toBe(references);
  });

  it('[addons 20] have the ClusterManagementAddOn for an add-on that a user makes, also before it', async () => {
    await using manager = await startManager(['c0', 'c1']);
    const hub = hubOf(manager);
    await hub.mcas.create({ metadata: { namespace: 'c0', name: 'hello' }, spec: {} });
    await hub.create({});
    await hub.mcas.create({ metadata: { namespace: 'c1', name: 'hello' }, spec: {} });
    await manager.quiet();
    const { uid } = (await hub.cmas.get('hello')).metadata ?? {};
    for (const cluster of ['c0', 'c1']) {
      expect((await hub.addOn(cluster)).metadata?.ownerReferences).toEqual([{ ...owner, uid }]);
    }
    await hub.cmas.delete('hello');
    await manager.quiet();
    expect(await hub.installed()).toEqual([]);
  });
});
