import type { ManagedClusterSet, Placement } from '@flotilla/api-types';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import { expect, it } from 'vitest';
import { newCluster } from '../fixtures/objects.ts';
import { PlacementEngine } from './engine.ts';

const all: ManagedClusterSet = {
  metadata: { name: 'all' },
  spec: { clusterSelector: { selectorType: 'LabelSelector', labelSelector: {} } },
};

function engineWith(clusters: number): PlacementEngine {
  const engine = new PlacementEngine({ now: 0, onDirty: () => {} });
  engine.setSet(all);
  engine.setBinding('team', 'all');
  for (let index = 0; index < clusters; index++) {
    engine.setCluster(newCluster(`c${index}`, { labels: { env: `e${index}`, all: 'yes' } }));
  }
  return engine;
}

const listOf = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, at) => make(at));
const labeled = (label: string) => ({ labelSelector: { matchLabels: { env: label } } });
/** Valid, of some sixteen thousand characters, and another one for each number. */
const expression = (number: number) =>
  `${listOf(500, () => 'has(managedCluster.metadata) &&').join(' ')} size("${number + 100}") == 3`;

const tests = 'predicates, decision groups, label and claim requirements, tolerations and prioritizers';

it.each<[string, number, string, NonNullable<Placement['spec']>]>([
  ['predicates', 10_000, tests, { predicates: listOf(5000, (at) => ({ requiredClusterSelector: labeled(`${at}`) })) }],
  [
    'requirements',
    15_001,
    tests,
    {
      predicates: [
        {
          requiredClusterSelector: {
            labelSelector: { matchExpressions: listOf(15_000, () => ({ key: 'all', operator: 'Exists' })) },
          },
        },
      ],
    },
  ],
  [
    'values',
    50_000,
    'values in its label and claim requirements',
    {
      predicates: [
        {
          requiredClusterSelector: {
            claimSelector: { matchExpressions: [{ key: 'env', operator: 'In', values: listOf(50_000, String) }] },
          },
        },
      ],
    },
  ],
  [
    'expressions',
    40 * expression(0).length,
    'characters in its CEL expressions',
    {
      predicates: listOf(40, (at) => ({
        requiredClusterSelector: { celSelector: { celExpressions: [expression(at)] } },
      })),
    },
  ],
  [
    'groups',
    10_000,
    tests,
    {
      decisionStrategy: {
        groupStrategy: {
          decisionGroups: listOf(5000, (at) => ({ groupName: `g${at}`, groupClusterSelector: labeled(`${at}`) })),
        },
      },
    },
  ],
  [
    'tolerations',
    15_000,
    tests,
    { tolerations: listOf(15_000, (at) => ({ key: `k${at}`, operator: 'Exists' as const })) },
  ],
])('a placement with thousands of %s is misconfigured, and holds up no other', async (_, count, what, spec) => {
  const engine = engineWith(1000);
  const placement: Placement = { metadata: { namespace: 'team', name: 'large' }, spec };
  const read = () => {
    engine.setPlacement(placement);
    engine.schedule('team/large');
    engine.deletePlacement('team/large');
  };
  expect(await longestTurn(read)).toBeLessThan(acceptableMs);
  engine.setPlacement(placement);
  const { status } = engine.schedule('team/large') ?? {};
  expect(status).toMatchObject({
    code: 'Misconfigured',
    reasons: [expect.stringMatching(`^the placement has ${count} ${what}, but at most [0-9]+ are evaluated`)],
  });
});

it('a placement may have some large expressions in each of its predicates', async () => {
  const engine = engineWith(1000);
  let number = 0;
  const read = () => {
    const predicates = listOf(4, () => ({
      requiredClusterSelector: { celSelector: { celExpressions: [expression(number++)] } },
    }));
    engine.setPlacement({ metadata: { namespace: 'team', name: 'large' }, spec: { predicates } });
    // Undefined: it is not misconfigured, and its expressions are evaluated.
    expect(engine.schedule('team/large')).toBeUndefined();
    engine.deletePlacement('team/large');
  };
  expect(await longestTurn(read)).toBeLessThan(acceptableMs);
});

it('a placement that names each cluster of a large fleet is scheduled', () => {
  const engine = engineWith(1000);
  const values = listOf(1000, (at) => `e${at}`);
  const labelSelector = { matchExpressions: [{ key: 'env', operator: 'In', values }] };
  engine.setPlacement({
    metadata: { namespace: 'team', name: 'named' },
    spec: { predicates: [{ requiredClusterSelector: { labelSelector } }] },
  });
  expect(engine.schedule('team/named')?.selected).toHaveLength(1000);
});
