import { manifestWorks } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from './index.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({ clusters: ['edge1', 'edge2'] });
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('a fleet in one process', () => {
  it('applies a work on a managed cluster, and on no other', async () => {
    const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'hello' } };
    const works = fleet.hub.resource(manifestWorks);
    await works.create({ metadata: { namespace: 'edge1', name: 'w' }, spec: { workload: { manifests: [manifest] } } });
    await fleet.until(works, 'edge1/w', ({ status }) => isConditionTrue(status?.conditions, 'Available'));
    expect(await fleet.managed('edge1').resource(configMaps).find('default/hello')).toBeDefined();
    expect(await fleet.managed('edge2').resource(configMaps).find('default/hello')).toBeUndefined();
  });

  it('names its clusters to a test that asks for another', () => {
    expect(() => fleet.managed('nope')).toThrow('the fleet has no cluster nope; it has edge1, edge2');
  });

  it('says how an object was last that does not become as expected', async () => {
    const works = fleet.hub.resource(manifestWorks);
    const waiting = fleet.until(works, 'edge1/nope', undefined, { timeoutMs: 1 });
    await expect(waiting).rejects.toThrow('edge1/nope is not as expected after 0.001s: it is not there');
  });
});
