import { describe, expect, it } from 'vitest';
import { selectClaims } from './claims.policy.ts';

const named = (...names: string[]) => names.map((name) => ({ metadata: { name }, spec: { value: `v-${name}` } }));
const limits = { maxCustomClaims: 2, reservedSuffixes: [] };
const namesOf = (selected: ReturnType<typeof selectClaims>) => selected.claims.map(({ name }) => name);

describe('the claims that are reported', () => {
  it('[registration-agent 19.10-113] are the reserved ones, then the first custom ones', () => {
    const selected = selectClaims(named('e', 'c', 'a', 'id.k8s.io', 'id-test.k8s.io'), [], limits);
    expect(namesOf(selected)).toEqual(['id.k8s.io', 'a', 'c']);
    expect(selected.truncated).toBe(2);
  });

  it('[registration-agent 19.10-114] include those with a reserved suffix', () => {
    const claims = named('e', 'c', 'a', 'id.k8s.io', 'test.reserved.io');
    expect(namesOf(selectClaims(claims, [], { ...limits, reservedSuffixes: ['reserved.io'] }))).toEqual([
      'id.k8s.io',
      'test.reserved.io',
      'a',
      'c',
    ]);
  });

  it('[registration-agent 19.10-115] prefer a property over a claim of the same name', () => {
    const properties = [{ metadata: { name: 'a' }, spec: { value: 'property' } }];
    expect(selectClaims(named('a'), properties, limits).claims).toEqual([{ name: 'a', value: 'property' }]);
  });

  it('[registration-agent 19.10-116, 19.10-117] leave out what is for the spoke only, and may be none', () => {
    const labels = { 'open-cluster-management.io/spoke-only': '' };
    const hidden = [{ metadata: { name: 'a', labels }, spec: { value: 'x' } }];
    expect(selectClaims(hidden, [], limits).claims).toEqual([]);
    expect(
      selectClaims(named('a', 'product.open-cluster-management.io'), [], { ...limits, maxCustomClaims: 0 }).claims,
    ).toEqual([{ name: 'product.open-cluster-management.io', value: 'v-product.open-cluster-management.io' }]);
  });

  const property = (name: string, value: string) => ({ metadata: { name }, spec: { value } });
  const identities: Record<string, [Parameters<typeof selectClaims>[0], Parameters<typeof selectClaims>[1], string[]]> =
    {
      'the uid of kube-system where nothing else says what the cluster is': [[], [], ['uid']],
      'the property of the about API': [[], [property('cluster.clusterset.k8s.io', 'property')], ['property']],
      'the claim that an administrator made': [
        named('id.k8s.io'),
        [property('cluster.clusterset.k8s.io', 'property')],
        ['v-id.k8s.io'],
      ],
      'nothing if the claim is to stay on the cluster': [
        [
          {
            metadata: { name: 'id.k8s.io', labels: { 'open-cluster-management.io/spoke-only': '' } },
            spec: { value: 'x' },
          },
        ],
        [],
        [],
      ],
    };
  it('have no identity that the cluster does not claim', () => {
    const properties = [property('cluster.clusterset.k8s.io', 'property')];
    expect(namesOf(selectClaims([], properties, limits))).toEqual(['cluster.clusterset.k8s.io']);
    expect(namesOf(selectClaims(named('id.k8s.io'), [], limits))).toEqual(['id.k8s.io']);
  });

  it.each(Object.entries(identities))(
    'have as identity, where that is asked for, %s',
    (_, [claims, properties, expected]) => {
      const selected = selectClaims(claims, properties, { ...limits, identity: { clusterUid: 'uid' } }).claims;
      expect(selected.filter(({ name }) => name === 'id.k8s.io').map(({ value }) => value)).toEqual(expected);
    },
  );
});
