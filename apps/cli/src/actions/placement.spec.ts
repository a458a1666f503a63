import { managedClusters, placementDecisions, placements } from '@flotilla/api-types';
import { namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, startWorld } from '../fixtures/cli.ts';
import { parsePrioritizer } from '../placement/prioritizers.ts';

let world: CliWorld<'hub'>;
const hub = (...argv: string[]) => world.flotilla([...argv, '--kubeconfig', 'hub']);
const client = () => world.planes.hub.client;

beforeAll(async () => {
  world = await startWorld('hub');
  await hub('init');
  await client()
    .resource(namespaces)
    .create({ metadata: { name: 'team' } });
  await hub('create', 'clusterset', 'prod');
  await hub('clusterset', 'bind', 'prod', '-n', 'team');
  const taints = [{ key: 'broken', effect: 'NoSelect' as const }];
  const labels = { 'cluster.open-cluster-management.io/clusterset': 'prod' };
  for (const [name, env] of Object.entries({ c1: 'prod', c2: 'dev', c3: 'prod', c4: 'prod', c5: 'prod' })) {
    const set = name === 'c5' ? {} : labels;
    const spec = { hubAcceptsClient: true, ...(name === 'c3' && { taints }) };
    await client()
      .resource(managedClusters)
      .create({ metadata: { name, labels: { env, ...set } }, spec });
  }
});
afterAll(() => world[Symbol.asyncDispose]());

describe('flotilla create placement', () => {
  it('[cli A50] understands prioritizers', () => {
    expect(parsePrioritizer('BuiltIn:Balance:4')).toEqual({
      scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' },
      weight: 4,
    });
    expect(parsePrioritizer('AddOn:cpu:usage:2')).toEqual({
      scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'cpu', scoreName: 'usage' } },
      weight: 2,
    });
    for (const text of ['', 'BuiltIn:Balance', 'AddOn:cpu:usage:2:2', 'BuiltIn:Spread:1', 'BuiltIn:Balance:11']) {
      expect(() => parsePrioritizer(text), text).toThrow('--prioritizers');
    }
  });

  it.each([
    ['no name', [], 2, 'the name of the placement must be specified'],
    ['a name that cannot be one', ['Web'], 2, '"Web" cannot be the name of a placement'],
    ['a selector that is none', ['web', '--label-selectors', 'a==='], 2, '"a===" is not a label selector'],
    ['a namespace that is not there', ['web', '-n', 'nope'], 3, 'there is no namespace nope'],
    ['a set that is not bound', ['web', '-n', 'team', '--clustersets', 'default'], 3, 'clusterset bind default'],
  ])('refuses %s', async (_, argv, code, message) => {
    expect(await hub('create', 'placement', ...argv)).toMatchObject({ code, err: expect.stringContaining(message) });
  });

  it('creates a placement, and replaces its spec only if asked to', async () => {
    const flags = [
      '-n',
      'team',
      '--clustersets',
      'prod',
      '--label-selectors',
      'env=prod,region in (eu)',
      '--count',
      '1',
    ];
    const web = (...more: string[]) => hub('create', 'placement', 'web', ...flags, ...more);
    expect((await web('--dry-run')).out).toBe("Placement 'web' has been created in 'team' namespace (dry run)\n");
    expect(await client().resource(placements).find('team/web')).toBeUndefined();
    expect((await web('--prioritizers', 'BuiltIn:Steady:3')).out).toBe(
      "Placement 'web' has been created in 'team' namespace\n",
    );
    expect((await client().resource(placements).get('team/web')).spec).toMatchObject({
      clusterSets: ['prod'],
      numberOfClusters: 1,
      predicates: [
        {
          requiredClusterSelector: {
            labelSelector: { matchExpressions: [{ key: 'env', operator: 'In', values: ['prod'] }] },
          },
        },
        {
          requiredClusterSelector: {
            labelSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['eu'] }] },
          },
        },
      ],
      prioritizerPolicy: { mode: 'Additive', configurations: [{ weight: 3 }] },
    });
    expect(await web()).toMatchObject({ code: 3, err: expect.stringContaining('placement web already exists') });
    expect((await web('--overwrite')).out).toBe("Placement 'web' of 'team' namespace has been updated\n");
    expect(
      (await client().resource(placements).get('team/web')).spec?.prioritizerPolicy?.configurations,
    ).toBeUndefined();
  });
});

describe('flotilla get placements', () => {
  it('displays a placement that nothing has scheduled yet', async () => {
    const { out } = await hub('get', 'placements', '-n', 'team', '-o', 'wide');
    expect(out).toMatch(/^NAMESPACE {3}NAME {3}STATUS {3}REASON {3}SELECTEDCLUSTERS {3}AGE {3}CLUSTERS {3}MESSAGE\n/);
    expect(out).toMatch(/team +web +0 +\d+s +<none> +nothing has scheduled it yet\n/);
    expect(await hub('get', 'placements', 'nope')).toMatchObject({ code: 1 });
    expect((await hub('get', 'placement', '-o', 'name')).out).toBe(
      'placement.cluster.open-cluster-management.io/web\n',
    );
  });

  it('displays what the scheduler decided, and what it says', async () => {
    await decide('web', ['c1']);
    const status = {
      numberOfSelectedClusters: 1,
      conditions: [
        { type: 'PlacementMisconfigured', status: 'False', reason: 'Succeedconfigured', message: 'fine' },
        { type: 'PlacementSatisfied', status: 'True', reason: 'AllDecisionsScheduled', message: 'all' },
      ].map((condition) => ({ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' })),
    };
    await client().resource(placements).status.patch('team/web', { type: 'merge', body: { status } });
    expect((await hub('get', 'placements')).out).toBe(
      'NAMESPACE   NAME   STATUS   REASON                  SELECTEDCLUSTERS\nteam        web    True     AllDecisionsScheduled   1\n',
    );
    expect((await hub('get', 'placements', '-o', 'wide')).out).toMatch(/ c1\n$/);
  });
});

describe('flotilla explain placement', () => {
  it('says which clusters are selected, each score, and what said no', async () => {
    const { code, out } = await hub('explain', 'placement', 'web', '-n', 'team');
    expect([code, out]).toEqual([
      0,
      [
        'Placement team/web selects 1 of 5 clusters (1 wanted).',
        'It chooses from cluster sets prod: 4 clusters.',
        '',
        'CLUSTER   SELECTED   BALANCE×1   STEADY×1   TOTAL   WHY NOT',
        'c1        yes        100         100        200',
        'c4        no         100         0          100     has a lower total than 200',
        'c2        no         -           -          -       does not match: predicate 1 wants labels env=prod; predicate 2 wants labels region=eu',
        'c3        no         -           -          -       has a taint that is not tolerated: broken:NoSelect',
        'c5        no         -           -          -       is not in a cluster set that the placement chooses from (prod)',
        '',
      ].join('\n'),
    ]);
  });

  it('says so when the decisions on the hub are others', async () => {
    await decide('web', ['c2']);
    const { out } = await hub('explain', 'placement', 'web', '-n', 'team', '--clusters', 'c1');
    expect(out).toContain('The decisions on the hub are others: c2.');
    expect(out).not.toContain('c4 ');
  });

  it('says what is wrong with a placement, and prints the same for programs', async () => {
    const celExpressions = ['invalid.expression'];
    const spec = { predicates: [{ requiredClusterSelector: { celSelector: { celExpressions } } }] };
    await client()
      .resource(placements)
      .create({ metadata: { namespace: 'team', name: 'odd' }, spec });
    expect((await hub('explain', 'placement', 'odd', '-n', 'team')).out).toMatch(
      /It is misconfigured, and its last good decisions stay: Predicate: compilation failed: .*undeclared reference/,
    );
    const { out } = await hub('explain', 'placement', 'odd', '-n', 'team', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ placement: 'team/odd', selected: [], status: { code: 'Misconfigured' } });
  });

  it('refuses a placement or a cluster that is not there', async () => {
    expect(await hub('explain', 'placement', 'nope', '-n', 'team')).toMatchObject({ code: 1 });
    expect(await hub('explain', 'placement', 'web', '-n', 'team', '--clusters', 'nope')).toMatchObject({ code: 1 });
    expect(await hub('explain', 'placement')).toMatchObject({ code: 2 });
  });
});

async function decide(placement: string, clusters: readonly string[]): Promise<void> {
  const handle = client().resource(placementDecisions);
  const labels = { 'cluster.open-cluster-management.io/placement': placement };
  const name = `${placement}-decision-1`;
  if (!(await handle.find(`team/${name}`))) await handle.create({ metadata: { namespace: 'team', name, labels } });
  const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }));
  await handle.status.patch(`team/${name}`, { type: 'merge', body: { status: { decisions } } });
}
