import type { ManifestConfigOption, ManifestWork } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { configMaps, deployments } from '@flotilla/kube/kinds';
import type { EmbeddedResource } from '@flotilla/schema';
import { configMap, configOf, instance } from '../work/manifests.ts';
import { manifestOf, type WorkOptions, workCondition } from '../work/work-world.ts';

/** A work that two agents are to report in the same words; `name` is part of every name in it. */
export interface WorkCase {
  manifests(name: string): EmbeddedResource[];
  options?(name: string): WorkOptions;
  /** What is there before the work. */
  before?(managed: KubeClient, name: string): Promise<unknown>;
  /** What others do when the work is applied. */
  after?(managed: KubeClient, name: string): Promise<unknown>;
  /** When an agent has said all that it has to say. */
  isReported(work: ManifestWork): boolean;
  /** OCM does not remember what it applied beside a manifest that failed, and leaves it to the garbage collector. Ours does. */
  readonly isBetterRemembered?: boolean;
}

const isSynced = (work: ManifestWork): boolean =>
  workCondition(work, 'Applied') === 'True' && workCondition(work, 'Available') === 'True';

/** OCM's agent says first what it has applied, and by and by what is available. */
const hasFailed = (work: ManifestWork): boolean =>
  workCondition(work, 'Applied') === 'False' && workCondition(work, 'Available') !== undefined;

const hasFeedback = (work: ManifestWork, integer: number): boolean =>
  (manifestOf(work)?.statusFeedback?.values ?? []).some(({ fieldValue }) => fieldValue.integer === integer);

const one = (config: ManifestConfigOption): WorkOptions => ({ manifestConfigs: [config] });

const roll = (managed: KubeClient, name: string) =>
  managed.resource(deployments).status.patch(`default/${name}`, {
    type: 'merge',
    body: {
      status: { observedGeneration: 1, replicas: 2, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 2 },
    },
  });

/** The cases, by what they are about. */
export const workCases: Readonly<Record<string, WorkCase>> = {
  'two objects': {
    manifests: (name) => [configMap(`${name}-a`, { a: '1' }), configMap(`${name}-b`)],
    isReported: isSynced,
  },
  'server-side apply': {
    manifests: (name) => [configMap(name, { a: '1' })],
    options: (name) => one(configOf('configmaps', name, { updateStrategy: { type: 'ServerSideApply' as const } })),
    isReported: isSynced,
  },
  'server-side apply of what another owns': {
    before: (managed, name) =>
      managed
        .resource(configMaps)
        .apply({ metadata: { namespace: 'default', name }, data: { a: '0' } }, { fieldManager: 'another' }),
    manifests: (name) => [configMap(name, { a: '1' })],
    options: (name) => one(configOf('configmaps', name, { updateStrategy: { type: 'ServerSideApply' as const } })),
    isReported: hasFailed,
  },
  'create only': {
    manifests: (name) => [configMap(name)],
    options: (name) => one(configOf('configmaps', name, { updateStrategy: { type: 'CreateOnly' as const } })),
    isReported: isSynced,
  },
  'read only': {
    before: (managed, name) =>
      managed.resource(configMaps).create({ metadata: { namespace: 'default', name }, data: { a: '0' } }),
    manifests: (name) => [configMap(name, { a: '1' })],
    options: (name) => one(configOf('configmaps', name, { updateStrategy: { type: 'ReadOnly' as const } })),
    isReported: isSynced,
  },
  'well-known feedback': {
    manifests: (name) => [deployment(name)],
    options: (name) =>
      one(configOf('deployments', name, { feedbackRules: [{ type: 'WellKnownStatus' as const }] }, 'apps')),
    after: roll,
    isReported: (work) => hasFeedback(work, 2),
  },
  'feedback by paths, of which one leads nowhere': {
    manifests: (name) => [deployment(name)],
    options: (name) => {
      const jsonPaths = [
        { name: 'wanted', path: '.spec.replicas' },
        { name: 'there', path: '.status.replicas' },
        { name: 'nowhere', path: '.status.nowhere' },
      ];
      return one(configOf('deployments', name, { feedbackRules: [{ type: 'JSONPaths' as const, jsonPaths }] }, 'apps'));
    },
    after: roll,
    isReported: (work) => hasFeedback(work, 2) && manifestOf(work)?.statusFeedback?.values?.length === 2,
  },
  'a condition by a rule': {
    manifests: (name) => [configMap(name, { a: '1' })],
    options: (name) => {
      const rule = {
        condition: 'Ripe',
        type: 'CEL' as const,
        celExpressions: ['object.data.a == "1"'],
        messageExpression: 'result ? "it is ripe" : "it is not"',
      };
      return one(configOf('configmaps', name, { conditionRules: [rule] }));
    },
    isReported: (work) => isSynced(work) && workCondition(work, 'Ripe') !== undefined,
  },
  'a kind that the cluster does not know': {
    manifests: (name) => [instance('Unknown', `${name}-unknown`), configMap(`${name}-fine`)],
    isReported: hasFailed,
    isBetterRemembered: true,
  },
  'a namespace that is not there': {
    manifests: (name) => [configMap(name, {}, 'nowhere')],
    isReported: hasFailed,
  },
  'an object that the cluster refuses': {
    manifests: (name) => [{ ...configMap(name), data: { 'not a key!': '1' } }],
    isReported: hasFailed,
  },
  'objects that stay when the work goes': {
    manifests: (name) => [configMap(name)],
    options: () => ({ deleteOption: { propagationPolicy: 'Orphan' as const } }),
    isReported: isSynced,
  },
};

const deployment = (name: string): EmbeddedResource => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app' }] } },
  },
});
