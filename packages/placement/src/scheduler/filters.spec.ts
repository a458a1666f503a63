import type { ManagedClusterTaint, PlacementSpec, PlacementToleration } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { newFleet, newPlacement, newScore, now, scheduled, traced } from '../fixtures/objects.ts';

const labels = (matchLabels: Record<string, string>) => ({ labelSelector: { matchLabels } });
const claims = (key: string, ...values: string[]) => ({
  claimSelector: { matchExpressions: [{ key, operator: 'In', values }] },
});
const cel = (...celExpressions: string[]) => ({ celSelector: { celExpressions } });
const predicates = (...selectors: NonNullable<PlacementSpec['predicates']>[number]['requiredClusterSelector'][]) => ({
  predicates: selectors.map((requiredClusterSelector) => ({ requiredClusterSelector })),
});

describe('eligibility', () => {
  const fleet = { c1: { labels: { 'cluster.open-cluster-management.io/clusterset': 's2' } }, c2: {} };
  const exclusive = (name: string) => ({
    metadata: { name },
    spec: { clusterSelector: { selectorType: 'ExclusiveClusterSetLabel' as const } },
  });

  it('[placement 15.2-25, 15.2-26] needs a set and a binding of the same name', () => {
    const engine = newFleet({ clusters: fleet });
    engine.deleteSet('global');
    engine.setPlacement(newPlacement());
    expect(engine.schedule('ns/p')).toMatchObject({ validSets: [], selected: [] });
    engine.setSet(exclusive('s2'));
    expect(engine.schedule('ns/p')).toMatchObject({ validSets: [], selected: [] });
    engine.setBinding('ns', 's2');
    expect(engine.schedule('ns/p')).toMatchObject({ validSets: ['s2'], selected: ['c1'] });
  });

  it('[placement 15.2-27, 15.2-28] takes the bound sets that the spec names, all if it names none', () => {
    const engine = newFleet({ clusters: fleet });
    for (const name of ['s3', 's2']) {
      engine.setSet(exclusive(name));
      engine.setBinding('ns', name);
    }
    engine.setPlacement(newPlacement({ clusterSets: ['s1', 's2'] }));
    expect(engine.schedule('ns/p')).toMatchObject({ validSets: ['global', 's2', 's3'], eligibleSets: ['s2'] });
    engine.setPlacement(newPlacement());
    expect(engine.schedule('ns/p')).toMatchObject({ eligibleSets: ['global', 's2', 's3'] });
  });

  it('[placement 15.2-29, 15.2-33] leaves out clusters that are being deleted, and takes one in two sets once', () => {
    const engine = newFleet({ clusters: { ...fleet, c2: { isDeleting: true } } });
    engine.setSet(exclusive('s2'));
    engine.setBinding('ns', 's2');
    engine.setPlacement(newPlacement());
    expect(engine.schedule('ns/p')?.selected).toEqual(['c1']);
  });

  it('[placement 15.2-31] decides nothing while an eligible set cannot be understood', () => {
    const engine = newFleet({ clusters: fleet });
    const selector = { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] };
    engine.setSet({
      metadata: { name: 'odd' },
      spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: selector } },
    });
    engine.setBinding('ns', 'odd');
    engine.setPlacement(newPlacement());
    expect(() => engine.schedule('ns/p')).toThrow('failed to get clusters from ClusterSet "odd"');
  });
});

describe('predicates', () => {
  const amazon = { labels: { cloud: 'Amazon' }, claims: { cloud: 'Amazon', region: 'us-east-1' } };
  const google = { labels: { cloud: 'Google' }, claims: { cloud: 'Google', region: 'us-east-2' } };
  const both = { clusters: { c1: amazon, c2: google } };

  it.each([
    ['[placement 15.3-34]', 'labels', predicates(labels({ cloud: 'Amazon' })), ['c1']],
    ['[placement 15.3-35]', 'claims', predicates(claims('cloud', 'Amazon')), ['c1']],
    [
      '[placement 15.3-36]',
      'both in one',
      predicates({ ...labels({ cloud: 'Amazon' }), ...claims('region', 'us-east-1') }),
      ['c1'],
    ],
    [
      '[placement 15.3-37]',
      'either of two',
      predicates(labels({ cloud: 'Amazon' }), claims('region', 'us-east-2')),
      ['c1', 'c2'],
    ],
    ['[placement 15.3-38]', 'a claim where the label is', predicates(labels({ region: 'us-east-1' })), []],
    [
      '[placement 15.3-39]',
      'an expression',
      predicates(cel('managedCluster.metadata.labels["cloud"] == "Amazon"')),
      ['c1'],
    ],
    [
      '[placement 15.3-40]',
      'an expression over claims',
      predicates(cel('managedCluster.status.clusterClaims.exists(c, c.name == "cloud" && c.value == "Amazon")')),
      ['c1'],
    ],
    ['[placement 15.3-44]', 'two expressions of which one is false', predicates(cel('true', 'false')), []],
    ['[placement 15.3-47]', 'no expression', predicates(cel()), ['c1', 'c2']],
    ['[placement 15.3-48]', 'an expression that is not a boolean', predicates(cel('managedCluster.metadata.name')), []],
  ])('%s select by %s', (_, _what, spec, expected) => {
    expect(scheduled(both, spec)).toMatchObject({ status: { code: 'Success' }, selected: expected });
  });

  it('see a cluster as OCM has it: no empty lists, but the fields that are always there', () => {
    const spec = predicates(
      cel(
        '!has(managedCluster.spec.taints)',
        'managedCluster.spec.hubAcceptsClient',
        '!has(managedCluster.kind)',
        'has(managedCluster.status.version)',
      ),
    );
    expect(scheduled({ clusters: { c1: {} } }, spec).selected).toEqual(['c1']);
  });

  const overEighty = cel("managedCluster.scores('test-addon').filter(s, s.name == 'test-score').all(e, e.value > 80)");
  it('[placement 15.3-41, 15.3-42, 15.3-43] read scores; a missing object does not match, a missing score does', () => {
    const scores = [
      newScore('c1', { 'test-score': 90 }, undefined, 'test-addon'),
      newScore('c2', { 'test-score': 70 }, undefined, 'test-addon'),
      newScore('c4', { other: 1 }, undefined, 'test-addon'),
    ];
    const clusters = { c1: {}, c2: {}, c3: {}, c4: {} };
    expect(scheduled({ clusters, scores }, predicates(overEighty))).toMatchObject({
      status: { code: 'Success' },
      selected: ['c1', 'c4'],
    });
  });

  it('[placement 15.3-45] report an expression that does not compile', () => {
    const { status, selected, decisions } = scheduled(both, predicates(cel('invalid.expression')));
    expect(status).toMatchObject({ code: 'Misconfigured', plugin: 'Predicate' });
    expect(status.reasons[0]).toMatch(/^compilation failed: .*undeclared reference/);
    expect({ selected, decisions }).toEqual({ selected: [], decisions: undefined });
  });

  it('[placement 15.3-46] are checked also when there is no cluster (weakness 24)', () => {
    expect(scheduled({ clusters: {} }, predicates(cel('invalid.expression'))).status.code).toBe('Misconfigured');
  });

  it('[placement 15.3-54, 15.3-55] read JSON inside claims', () => {
    const json = JSON.stringify({ H100: [{ X: 1 }, { X: 2 }] });
    const clusters = { c1: { claims: { gpu: json } }, c2: { claims: { gpu: '{"H100":[]}' } } };
    const expression = 'managedCluster.status.clusterClaims.exists(c, c.value.parseJSON().H100.exists(e, e.X == 2))';
    expect(scheduled({ clusters }, predicates(cel(expression))).selected).toEqual(['c1']);
    expect(scheduled({ clusters }, predicates(cel('123.parseJSON()'))).status.reasons[0]).toContain(
      'no matching overload',
    );
  });
});

describe('taints', () => {
  const taint = (parts: Partial<ManagedClusterTaint> = {}): ManagedClusterTaint => ({
    key: 'key1',
    value: 'value1',
    effect: 'NoSelect',
    ...parts,
  });
  const equal = (key: string, value?: string): PlacementToleration => ({ key, operator: 'Equal', value });
  const exists = (key?: string, value?: string): PlacementToleration => ({ key, operator: 'Exists', value });
  const ifNew = { effect: 'NoSelectIfNew' } as const;

  it.each([
    ['[placement 15.4-58]', [], [taint()], false],
    ['[placement 15.4-59]', [equal('key1', 'value1')], [taint()], true],
    ['[placement 15.4-60]', [equal('key1', '')], [taint()], false],
    ['[placement 15.4-61]', [equal('key1', 'value1')], [taint({ value: 'value2' })], false],
    ['[placement 15.4-61]', [equal('key1', 'value1')], [taint({ key: 'key2' })], false],
    ['[placement 15.4-63]', [exists('key1')], [taint()], true],
    ['[placement 15.4-63]', [exists('key2')], [taint()], false],
    ['[placement 15.4-65]', [equal('unreachable')], [{ key: 'unreachable', effect: 'NoSelect' as const }], true],
    ['[placement 15.4-66]', [], [taint(ifNew)], false],
    ['[placement 15.4-68]', [equal('key1', 'other')], [taint(ifNew)], false],
    ['[placement 15.4-69]', [], [taint({ effect: 'PreferNoSelect' })], true],
    ['[placement 15.4-70]', [exists('key1'), exists('key2')], [taint(), taint({ key: 'key2' })], true],
    ['[placement 15.4-70]', [exists('key1')], [taint(), taint({ key: 'key2' })], false],
    ['[placement 15.4-71]', [{ ...equal('key1', 'value1'), ...ifNew }], [taint()], false],
  ])('%s with tolerations %j of taints %j a cluster is kept: %s', (_, tolerations, taints, isKept) => {
    expect(scheduled({ clusters: { c1: { taints } } }, { tolerations }).selected).toEqual(isKept ? ['c1'] : []);
  });

  it('[placement 15.4-66, 15.4-67] keep a selected cluster with NoSelectIfNew', () => {
    const fleet = { clusters: { c1: { taints: [taint(ifNew)] } }, own: [['c1']] };
    expect(scheduled(fleet).selected).toEqual(['c1']);
    expect(scheduled(fleet, { tolerations: [equal('key1', 'other')] }).selected).toEqual(['c1']);
  });

  it.each([
    ['[placement 15.4-62]', equal('', 'value1'), 'If the key is empty, operator must be Exists.'],
    ['[placement 15.4-64]', exists('', 'value1'), 'If the operator is Exists, the value should be empty.'],
  ])('%s refuse the toleration %j', (_, toleration, message) => {
    const { status, filters } = traced({ clusters: { c1: {} } }, { tolerations: [toleration], numberOfClusters: 3 });
    expect(status).toEqual({ code: 'Misconfigured', plugin: 'TaintToleration', reasons: [message] });
    expect(filters, '[placement 15.4-77]').toEqual([{ name: 'Predicate', clusters: ['c1'] }]);
  });

  const ago = (seconds: number) => ({
    taints: [taint({ timeAdded: new Date(now - seconds * 1000).toISOString() })],
  });
  it('[placement 15.4-72, 15.4-73] end tolerations in time, and say when', () => {
    const fleet = { clusters: { c1: ago(8), c2: ago(9), c3: ago(10) } };
    const tolerations = [{ ...equal('key1', 'value1'), tolerationSeconds: 10 }];
    expect(scheduled(fleet, { tolerations })).toMatchObject({ selected: ['c1', 'c2'], recheckAt: now + 1000 });
  });

  it('[placement 15.4-75, 15.4-76] follow time and new taints', () => {
    const engine = newFleet({
      clusters: {
        c1: ago(0),
        c2: { taints: [taint({ key: 'key2', timeAdded: new Date(now).toISOString() })] },
        c3: {},
      },
    });
    engine.setPlacement(
      newPlacement({
        tolerations: [
          { ...exists('key1'), tolerationSeconds: 10 },
          { ...exists('key2'), tolerationSeconds: 20 },
        ],
      }),
    );
    const at = (seconds: number) => {
      engine.advance(now + seconds * 1000);
      return engine.schedule('ns/p')?.selected;
    };
    expect([at(0), at(9), at(10), at(20)]).toEqual([['c1', 'c2', 'c3'], ['c1', 'c2', 'c3'], ['c2', 'c3'], ['c3']]);
  });
});

it('selects clusters with an untolerated PreferNoSelect taint last, with its gate', () => {
  const clusters = { c1: { taints: [{ key: 'k', effect: 'PreferNoSelect' as const }] }, c2: {} };
  expect(scheduled({ clusters }, { numberOfClusters: 1 }).selected).toEqual(['c1']);
  const gates = { preferNoSelect: true };
  expect(scheduled({ clusters, gates }, { numberOfClusters: 1 }).selected).toEqual(['c2']);
  expect(scheduled({ clusters, gates }).selected).toEqual(['c1', 'c2']);
  const tolerations = [{ key: 'k', operator: 'Exists' }];
  expect(scheduled({ clusters, gates }, { numberOfClusters: 1, tolerations }).selected).toEqual(['c1']);
});
