import type { ManagedClusterSet, Placement } from '@flotilla/api-types';
import { createKubeClient } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { ScriptedTransport } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import type { PlacementEngine } from '../engine/engine.ts';
import { newFleet, newPlacement, newScore } from '../fixtures/objects.ts';
import { answerDebugRequest, type DebugRequest } from './debug-request.ts';

const user = { username: 'ann', uid: 'u1', groups: ['dev'], extra: { 'example.com/team': ['web'] } };
const stored = newPlacement({
  numberOfClusters: 1,
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env: 'prod' } } } }],
});
const taints = [{ key: 'k', effect: 'NoSelect' as const }];

const fleet = () =>
  newFleet({
    clusters: {
      c1: { labels: { env: 'prod' } },
      c2: { labels: { env: 'dev' } },
      c3: { labels: { env: 'prod' }, taints },
      c4: { labels: { env: 'prod' } },
    },
    own: [['c4']],
    scores: [newScore('c4', { load: 30 })],
  });

/** The debug server of a hub on which one placement is stored. */
function server({
  review = { body: { status: { allowed: true } } },
  engine = fleet(),
}: {
  readonly review?: { readonly status?: number; readonly body: object };
  readonly engine?: PlacementEngine;
} = {}) {
  const transport = new ScriptedTransport(() => review);
  const client = createKubeClient({ transport, clock: new FakeClock() });
  const find = (key: string) => (key === 'ns/p' ? stored : undefined);
  return {
    transport,
    ask: (request: Partial<DebugRequest> = {}) =>
      answerDebugRequest({ client, engine, find }, { user, path: '/debug/placements/ns/p', ...request }),
  };
}

const posted = (placement: unknown) => ({ path: '/debug/placements/', posted: { body: JSON.stringify(placement) } });

describe('the debug server', () => {
  it('[placement 15.8-164] explains a stored placement: what each filter leaves, each score, the totals', async () => {
    expect(await server().ask()).toEqual({
      placement: { metadata: { namespace: 'ns', name: 'p' }, spec: stored.spec },
      filteredPipelineResults: [
        { name: 'Predicate', filteredClusters: ['c1', 'c3', 'c4'] },
        { name: 'Predicate,TaintToleration', filteredClusters: ['c1', 'c4'] },
      ],
      prioritizeResults: [
        { name: 'Balance', weight: 1, scores: { c1: 100, c4: 100 } },
        { name: 'Steady', weight: 1, scores: { c1: 0, c4: 100 } },
      ],
      aggregatedScores: [
        { clusterName: 'c4', score: 200 },
        { clusterName: 'c1', score: 100 },
      ],
      candidates: ['c1', 'c2', 'c3', 'c4'],
      selectedClusters: ['c4'],
    });
  });

  it('[placement 15.8-165] explains a placement that comes with the question, as it would be stored', async () => {
    const { ask } = server();
    const configurations = [
      { scoreCoordinate: { type: 'AddOn', addOn: { resourceName: 'demo', scoreName: 'load' } } },
      { scoreCoordinate: { builtIn: 'Steady' }, weight: 0 },
    ];
    const spec = { numberOfClusters: 1, prioritizerPolicy: { configurations } };
    const metadata = { namespace: 'ns', name: 'new', labels: { a: 'b' } };
    const result = await ask(
      posted({ apiVersion: 'cluster.open-cluster-management.io/v1beta1', kind: 'Placement', metadata, spec }),
    );
    expect(result.placement?.metadata).toEqual(metadata);
    expect(result.prioritizeResults).toEqual([
      // Those of ns/p count for another placement.
      { name: 'Balance', weight: 1, scores: { c1: 100, c2: 100, c4: -100 } },
      { name: 'AddOn/demo/load', weight: 1, scores: { c1: 0, c2: 0, c4: 30 } },
    ]);
    expect(result.selectedClusters).toEqual(['c1']);
  });

  it('[placement 15.8-165] says in a field more than OCM why a posted placement selects nothing', async () => {
    const spec = { tolerations: [{ operator: 'Equal', value: 'v' }] };
    const { status, filteredPipelineResults, aggregatedScores } = await server().ask(
      posted({ metadata: { namespace: 'ns', name: 'new' }, spec }),
    );
    expect(filteredPipelineResults?.map(({ name }) => name)).toEqual(['Predicate']);
    expect(aggregatedScores).toBeUndefined();
    expect(status).toMatchObject({ code: 'Misconfigured', plugin: 'TaintToleration' });
  });

  it.each<[string, Parameters<typeof server>[0], Partial<DebugRequest>, string | RegExp]>([
    ['an unknown user', {}, { user: undefined }, 'user information not found in request context'],
    [
      'a user without the right',
      { review: { body: { status: { allowed: false, reason: 'no role' } } } },
      {},
      'user does not have permission to create placements in namespace ns: no role',
    ],
    ['a review that fails', { review: { status: 422, body: { message: 'no' } } }, {}, /^failed to check permissions: /],
    [
      'a placement that is not stored',
      {},
      { path: '/debug/placements/ns/other' },
      'placement.cluster.open-cluster-management.io "other" not found',
    ],
    ['a body that is not JSON', {}, { posted: { body: '{' } }, /^failed to unmarshal placement JSON: /],
    [
      'a placement that the API server would refuse',
      {},
      posted({ metadata: { namespace: 'ns', name: 'p' }, spec: { numberOfClusters: 'two' } }),
      /^failed to unmarshal placement JSON: spec.numberOfClusters: "two" .*integer/,
    ],
    ['a body that is too long', {}, { posted: { body: undefined } }, /^request body too large: /],
    ['a path without a name', {}, { path: '/debug/placements/ns' }, /must be \/debug\/placements\/NAMESPACE\/NAME/],
  ])('[placement 15.8-166] answers %s with an error', async (_, input, request, error) => {
    expect(await server(input).ask(request)).toEqual({
      error: typeof error === 'string' ? error : expect.stringMatching(error),
    });
  });

  it('[placement 15.8-167] describes the user to the API server in full', async () => {
    const { ask, transport } = server();
    await ask();
    const { username, ...others } = user;
    expect(JSON.parse(String(transport.last.body)).spec).toEqual({
      user: username,
      ...others,
      resourceAttributes: {
        group: 'cluster.open-cluster-management.io',
        version: 'v1beta1',
        resource: 'placements',
        verb: 'create',
        namespace: 'ns',
      },
    });
  });

  it('[placement 15.8-168] takes the clusters of the bound sets that the placement names', async () => {
    const engine = fleet();
    const setOf = (name: string): ManagedClusterSet => ({ metadata: { name }, spec: {} });
    engine.setSet(setOf('set-1'));
    engine.setBinding('ns', 'set-1');
    engine.setCluster({
      metadata: { name: 'c9', labels: { 'cluster.open-cluster-management.io/clusterset': 'set-1' } },
    });
    const { ask } = server({ engine });
    const limited: Placement = { metadata: { namespace: 'ns', name: 'new' }, spec: { clusterSets: ['set-1'] } };
    expect((await ask(posted(limited))).candidates).toEqual(['c9']);
    const unbound = { metadata: { namespace: 'other', name: 'new' }, spec: {} };
    expect((await ask(posted(unbound))).candidates).toBeUndefined();
  });

  it('reports a set that cannot be understood', async () => {
    const engine = fleet();
    const clusterSelector = { selectorType: 'Odd' } as never;
    engine.setSet({ metadata: { name: 'global' }, spec: { clusterSelector } });
    expect(await server({ engine }).ask()).toEqual({
      error: 'failed to get clusters from ClusterSet "global": selectorType is not right: Odd',
    });
  });
});
