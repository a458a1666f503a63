import type { EmbeddedResource } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { splitManifests } from './split.ts';

/** A manifest of about so many bytes. */
const manifest = (name: string, size: number): EmbeddedResource => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: 'x'.repeat(size),
});
const split = (
  required: readonly EmbeddedResource[],
  existing: Readonly<Record<number, readonly EmbeddedResource[]>> = {},
) =>
  Object.fromEntries(
    splitManifests(
      required,
      Object.entries(existing).map(([index, manifests]) => ({ index: Number(index), manifests })),
      1000,
    ).map(({ index, manifests }) => [index, manifests.map(({ metadata }) => metadata?.name)]),
  );

describe('manifests are split over works', () => {
  const [a, b, c] = [manifest('a', 300), manifest('b', 300), manifest('c', 300)];

  it('[addons Q13] without an empty work before one that is too large', () => {
    expect(split([manifest('huge', 2000), a])).toEqual({ 0: ['huge'], 1: ['a'] });
  });

  it('[addons Q13] with the next number that is free', () => {
    expect(split([a, b, c, manifest('d', 800)], { 1: [a, b] })).toEqual({ 1: ['a', 'b'], 0: ['d'], 2: ['c'] });
  });

  it('[addons Q14] in their order if they are of one size', () => {
    expect(split([c, a, b])).toEqual({ 0: ['c', 'a'], 1: ['b'] });
  });

  it('with new content in the work where they were, and none where nothing is left', () => {
    const changed = manifest('a', 500);
    expect(
      splitManifests(
        [changed],
        [
          { index: 0, manifests: [a] },
          { index: 1, manifests: [b] },
        ],
        1000,
      ),
    ).toEqual([
      { index: 0, manifests: [changed] },
      { index: 1, manifests: [] },
    ]);
  });

  it('where there is most room, the largest first', () => {
    const existing = { 0: [manifest('x', 500)], 1: [manifest('y', 100)] };
    expect(split([...existing[0], ...existing[1], a, manifest('z', 400)], existing)).toEqual({
      0: ['x', 'a'],
      1: ['y', 'z'],
    });
  });

  it('with a new version in the work where the object was', () => {
    const [before, after] = ['example.com/v1beta1', 'example.com/v1'].map((apiVersion) => ({ ...a, apiVersion }));
    const parts = [
      { index: 0, manifests: [...(before ? [before] : []), b] },
      { index: 1, manifests: [] },
    ];
    expect(splitManifests([b, ...(after ? [after] : [])], parts, 1000)[0]).toEqual({ index: 0, manifests: [after, b] });
  });

  it('with the later of two of one identity', () => {
    const later = manifest('a', 10);
    expect(splitManifests([a, later], [], 1000)).toEqual([{ index: 0, manifests: [later] }]);
  });
});
