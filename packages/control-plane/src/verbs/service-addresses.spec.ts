import { describe, expect, it } from 'vitest';
import { createStorage } from '../storage/memory-storage.ts';
import { keepAddresses, withAddresses } from './service-addresses.ts';

describe('withAddresses', () => {
  it('gives each service an address that no other has', () => {
    const storage = createStorage();
    const first = withAddresses(storage, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } });
    storage.put('/services', 'default/a', first);
    const second = withAddresses(storage, { spec: {} });
    expect(first.spec).toMatchObject({ clusterIP: '10.96.1.0', clusterIPs: ['10.96.1.0'], ipFamilies: ['IPv4'] });
    expect(second.spec).toMatchObject({ clusterIP: '10.96.1.1' });
  });

  it.each([
    [
      'an address that was asked for is kept',
      { clusterIP: '10.0.0.9' },
      { clusterIPs: ['10.0.0.9'], ipFamilyPolicy: 'SingleStack' },
    ],
    [
      'a headless service may stand for any family',
      { clusterIP: 'None' },
      { clusterIPs: ['None'], ipFamilies: ['IPv4', 'IPv6'] },
    ],
    ['unless it selects pods', { clusterIP: 'None', selector: { a: 'b' } }, { ipFamilies: ['IPv4'] }],
    [
      'ports on nodes are given out',
      { type: 'NodePort', ports: [{ port: 80 }, { port: 81 }] },
      { ports: [{ nodePort: 30000 }, { nodePort: 30001 }] },
    ],
  ])('%s', (_what, spec, expected) => {
    expect(withAddresses(createStorage(), { spec }).spec).toMatchObject(expected);
  });

  it('a service of another name has no address', () => {
    const spec = { type: 'ExternalName', externalName: 'x.y' };
    expect(withAddresses(createStorage(), { spec }).spec).toEqual(spec);
  });
});

describe('keepAddresses', () => {
  const old = { spec: { type: 'ClusterIP', clusterIP: '10.96.1.0', clusterIPs: ['10.96.1.0'] }, status: { x: 1 } };

  it('keeps what an update does not speak of, and the status', () => {
    expect(keepAddresses({ spec: { type: 'ClusterIP' } }, old)).toEqual(old);
  });

  it('gives the address back when the service needs none', () => {
    const next = { spec: { ...old.spec, type: 'ExternalName' } };
    expect(keepAddresses(next, old).spec).toEqual({ type: 'ExternalName' });
  });
});
