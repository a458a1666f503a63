import type { ManifestWork } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { planOf, ranksOf } from './plan.ts';

const manifest = (kind: string, name = kind) => ({ apiVersion: 'v1', kind, metadata: { name, uid: 'from-the-hub' } });
const workOf = (manifests: readonly unknown[]): ManifestWork => ({
  metadata: {},
  spec: { workload: { manifests: manifests as never } },
});
const order = (...kinds: string[]) => planOf(workOf(kinds.map((kind) => manifest(kind)))).map(({ meta }) => meta.kind);

describe('manifests are applied', () => {
  it.each([
    ['[work 18.B-34]', ['Deployment', 'ServiceAccount'], ['ServiceAccount', 'Deployment']],
    [
      '[work 18.B-35]',
      ['Deployment', 'ConfigMap', 'Namespace', 'ServiceAccount', 'Secret'],
      ['Namespace', 'ServiceAccount', 'ConfigMap', 'Secret', 'Deployment'],
    ],
    ['[work 18.B-36]', ['CustomThing', 'Secret'], ['Secret', 'CustomThing']],
  ])('%s in the order of their ranks', (_, given, expected) => {
    expect(order(...given)).toEqual(expected);
  });

  it('[work 18.B-37] as listed within a rank, and together', () => {
    const plan = planOf(
      workOf([manifest('Secret', '1'), manifest('Job', '2'), manifest('Secret', '3'), manifest('Job', '4')]),
    );
    expect(ranksOf(plan).map((rank) => rank.map(({ meta }) => meta.name))).toEqual([
      ['1', '3'],
      ['2', '4'],
    ]);
  });

  it('[work 18.B-38] [work 18.C-40] last if they are not objects, and keep their ordinals', () => {
    const plan = planOf(workOf(['no object', manifest('Secret')]));
    expect(plan.map(({ meta }) => meta.ordinal)).toEqual([1, 0]);
    expect(plan[1]).toMatchObject({
      rank: 1001,
      manifest: undefined,
      meta: { ordinal: 0, group: '', version: '', kind: '', resource: '', name: '', namespace: '' },
    });
    expect(planOf(workOf([]))).toEqual([]);
    expect(planOf({ metadata: {} })).toEqual([]);
  });

  it('once each: a duplicate of the same object is refused', () => {
    const plan = planOf(workOf([manifest('Secret', 'a'), manifest('Secret', 'b'), manifest('Secret', 'a')]));
    expect(plan.map(({ error }) => error)).toEqual([
      undefined,
      undefined,
      'the manifest is about the same object as manifest 0',
    ]);
  });

  it('without the uid that they brought', () => {
    expect(planOf(workOf([manifest('Secret')]))[0]?.manifest?.metadata).toEqual({ name: 'Secret' });
  });
});
