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
