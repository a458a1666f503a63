import type { ManifestCondition } from '@flotilla/api-types';
import type { RolloutStatus } from '@flotilla/placement/rollout';
import type { Condition } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { clusterRolloutOf } from './cluster-rollout.policy.ts';
import { generatedWorkOf } from './generated-work.ts';
import { templateOf } from './template.ts';

const second = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const timeOf = (seconds: number): number => Date.parse(second(seconds));

/** `Applied True@10` of the newest generation, `Applied True@10 stale` of the one before. */
const conditionsOf = (text: string): Condition[] =>
  text.split(', ').flatMap((one) => {
    const [, type = '', status = '', seconds, stale] = /^(\w+) (\w+)@(\d+)( stale)?$/.exec(one) ?? [];
    return type === ''
      ? []
      : [
          {
            type,
            status: status === 'True' || status === 'False' ? status : 'Unknown',
            reason: 'Test',
            message: `${type} is ${status}`,
            lastTransitionTime: second(Number(seconds)),
            observedGeneration: stale ? 1 : 2,
          },
        ];
  });

const deployment = (replicas?: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web' },
  spec: { ...(replicas !== undefined && { replicas }) },
});
const withFeedback = (manifest: object) => ({
  workload: { manifests: [manifest as ReturnType<typeof deployment>] },
  manifestConfigs: [
    {
      resourceIdentifier: { group: 'apps', resource: 'deployments', namespace: 'default', name: 'web' },
      feedbackRules: [{ type: 'WellKnownStatus' as const }],
    },
  ],
});

const rolloutOf = (conditions: string, manifest?: ManifestCondition, spec: object = {}) =>
  clusterRolloutOf(
    generatedWorkOf({
      metadata: { namespace: 'c1', name: 'web', generation: 2, creationTimestamp: second(5) },
      status: { conditions: conditionsOf(conditions), resourceStatus: { manifests: manifest ? [manifest] : [] } },
    }),
    templateOf({ spec: { manifestWorkTemplate: spec, placementRefs: [], cascadeDeletionPolicy: 'Background' } }),
  );

describe('a work with rules', () => {
  const rules = {
    manifestConfigs: [
      {
        resourceIdentifier: { resource: 'configmaps', name: 'web' },
        conditionRules: [{ condition: 'Progressing', type: 'CEL', celExpressions: ['true'] }],
      },
    ],
  };
  it.each<[string, string, RolloutStatus, number?]>([
    ['nothing reported', '', 'ToApply'],
    ['applied is missing', 'Progressing False@20', 'ToApply'],
    ['applied is stale', 'Applied True@10 stale, Progressing False@20', 'ToApply'],
    ['applied is false', 'Applied False@10, Progressing True@20', 'ToApply'],
    ['applied is unknown', 'Applied Unknown@10, Progressing True@20', 'ToApply'],
    ['progressing is missing', 'Applied True@10', 'ToApply'],
    ['progressing is stale', 'Applied True@10, Progressing False@20 stale', 'ToApply'],
    ['degraded is stale', 'Applied True@10, Progressing False@20, Degraded True@30 stale', 'ToApply'],
    ['progressing and degraded', 'Applied True@10, Progressing True@20, Degraded True@30', 'Failed', 30],
    ['progressing', 'Applied True@10, Progressing True@20', 'Progressing', 20],
    ['progressing, not degraded', 'Applied True@10, Progressing True@20, Degraded False@30', 'Progressing', 20],
    ['done', 'Applied True@10, Progressing False@20', 'Succeeded', 20],
    ['done and degraded', 'Applied True@10, Progressing False@20, Degraded True@30', 'Succeeded', 20],
    ['progressing is unknown', 'Applied True@10, Progressing Unknown@20', 'Progressing', 20],
  ])('[work 18.N-189] %s', (_, conditions, status, since) => {
    const rollout = rolloutOf(conditions, undefined, rules);
    expect(rollout.status).toBe(status);
    expect(rollout.lastTransitionTime).toBe(since === undefined ? undefined : timeOf(since));
  });
});

describe('a work without rules', () => {
  const feedback = (values: Record<string, number>, type = 'Deployment'): ManifestCondition => ({
    resourceMeta: { ordinal: 0, group: 'apps', version: 'v1', kind: type, namespace: 'default', name: 'web' },
    statusFeedback: {
      values: Object.entries(values).map(([name, integer]) => ({ name, fieldValue: { type: 'Integer', integer } })),
    },
    conditions: [],
  });
  const available = 'Applied True@10, Available True@20';

  it.each<[string, string, RolloutStatus, number, string?]>([
    ['nothing reported', '', 'Progressing', 5, 'its agent has not reported the newest work'],
    ['an old report', 'Applied True@10 stale', 'Progressing', 5, 'its agent has not reported the newest work'],
    ['not applied', 'Applied False@10', 'Failed', 10, 'Applied is False'],
    ['degraded', `${available}, Degraded True@30`, 'Failed', 30, 'Degraded: Degraded is True'],
    ['an old degradation', `${available}, Degraded True@30 stale`, 'Succeeded', 20],
    ['not available', 'Applied True@10, Available False@20', 'Progressing', 20, 'it is not available'],
    ['nothing known of what exists', 'Applied True@10', 'Progressing', 5, 'it is not available'],
    ['applied and available', available, 'Succeeded', 20],
    ['available before the template', 'Applied True@1, Available True@2', 'Succeeded', 5],
  ])('with %s', (_, conditions, status, since, why) => {
    expect(rolloutOf(conditions)).toEqual({
      status,
      lastTransitionTime: timeOf(since),
      ...(why !== undefined && { why }),
    });
  });

  it.each<[string, object, ManifestCondition, RolloutStatus, string?]>([
    [
      'whose replicas are not available',
      withFeedback(deployment(3)),
      feedback({ Replicas: 3, AvailableReplicas: 1 }),
      'Progressing',
      'Deployment default/web: 1 of 3 replicas are available',
    ],
    [
      'of which no value is there yet',
      withFeedback(deployment(3)),
      feedback({}),
      'Progressing',
      'Deployment default/web: 0 of 3 replicas are available',
    ],
    [
      'whose replicas are available',
      withFeedback(deployment(2)),
      feedback({ Replicas: 2, AvailableReplicas: 2 }),
      'Succeeded',
    ],
    [
      'that is scaled by others',
      withFeedback(deployment()),
      feedback({ Replicas: 7, AvailableReplicas: 7 }),
      'Succeeded',
    ],
    [
      'whose new pods do not start while the old ones stay',
      withFeedback(deployment(3)),
      feedback({ ReadyReplicas: 3, Replicas: 4, AvailableReplicas: 3 }),
      'Progressing',
      'Deployment default/web: 4 replicas exist, 3 are wanted: it is updated',
    ],
    [
      'whose controller has not observed the change, if both generations are asked for',
      withFeedback(deployment(3)),
      feedback({ Replicas: 3, AvailableReplicas: 3, ObservedGeneration: 1, Generation: 2 }),
      'Progressing',
      'Deployment default/web: its controller has not observed the newest spec',
    ],
    [
      'whose replicas are not updated, if that is asked for',
      withFeedback(deployment(3)),
      feedback({ Replicas: 3, AvailableReplicas: 3, UpdatedReplicas: 1 }),
      'Progressing',
      'Deployment default/web: 1 of 3 replicas are updated',
    ],
    [
      'whose pods are not updated, if that is asked for',
      withFeedback(deployment()),
      feedback({ DesiredNumberScheduled: 3, NumberReady: 3, UpdatedNumberScheduled: 2 }, 'DaemonSet'),
      'Progressing',
      'DaemonSet default/web: 2 of 3 pods are updated',
    ],
    [
      'whose replicas an autoscaler owns',
      {
        ...withFeedback(deployment(3)),
        manifestConfigs: [
          {
            ...withFeedback(deployment(3)).manifestConfigs[0],
            updateStrategy: {
              type: 'ServerSideApply',
              serverSideApply: { ignoreFields: [{ condition: 'OnSpokePresent', jsonPaths: ['.spec.replicas'] }] },
            },
          },
        ],
      },
      feedback({ Replicas: 7, AvailableReplicas: 7 }),
      'Succeeded',
    ],
    ['scaled to nothing', withFeedback(deployment(0)), feedback({}), 'Succeeded'],
    ['of which nothing is asked for', { workload: { manifests: [deployment(3)] } }, feedback({}), 'Succeeded'],
    [
      'of a kind without known values',
      { workload: { manifests: [deployment(3)] } },
      feedback({}, 'StatefulSet'),
      'Succeeded',
    ],
  ])('%s', (_, spec, manifest, status, why) => {
    expect(rolloutOf(available, manifest, spec)).toMatchObject({ status, ...(why !== undefined && { why }) });
  });
});

describe('a work whose agent reports readiness', () => {
  const manifest = (status: 'True' | 'False', reason: string, observedGeneration = 2): ManifestCondition => ({
    resourceMeta: { ordinal: 0, group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'default', name: 'web' },
    statusFeedback: {
      values: [
        { name: 'Replicas', fieldValue: { type: 'Integer', integer: 3 } },
        { name: 'AvailableReplicas', fieldValue: { type: 'Integer', integer: 3 } },
      ],
    },
    conditions: [
      {
        type: 'ResourceReady',
        status,
        reason,
        message: 'Updated: 1/3',
        observedGeneration,
        lastTransitionTime: second(30),
      },
    ],
  });
  const available = 'Applied True@10, Available True@20';
  const why = 'Deployment default/web: Updated: 1/3';

  it.each<[string, ManifestCondition, RolloutStatus, number, string?]>([
    ['has succeeded since its objects are ready', manifest('True', 'Current'), 'Succeeded', 30],
    ['progresses while they are not, whatever feedback says', manifest('False', 'InProgress'), 'Progressing', 20, why],
    ['has failed when they cannot become ready', manifest('False', 'Failed'), 'Failed', 20, why],
    [
      'is decided by feedback when the readiness is of an earlier generation',
      manifest('False', 'Failed', 1),
      'Succeeded',
      30,
    ],
  ])('%s', (_, reported, status, since, message) => {
    expect(rolloutOf(available, reported, withFeedback(deployment(3)))).toEqual({
      status,
      lastTransitionTime: timeOf(since),
      ...(message !== undefined && { why: message }),
    });
  });

  it('waits for it also where the template asks for no feedback', () => {
    const spec = { workload: { manifests: [deployment(3)] } };
    expect(rolloutOf(available, manifest('False', 'InProgress'), spec).status).toBe('Progressing');
  });
});
