import {
  type ManifestConfigOption,
  type ManifestFeedbackValue,
  type ManifestWork,
  type ManifestWorkSpec,
  manifestWorks,
} from '@flotilla/api-types';
import {
  createInformers,
  defineController,
  done,
  isDeleting,
  joinKey,
  type KubeClient,
  type Logger,
  on,
  runControllers,
} from '@flotilla/kube';
import { setConditions } from '@flotilla/kube/conditions';
import { daemonSets, deployments, jobs, pods } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { EmbeddedResource, KubeObject } from '@flotilla/schema';
import { compileJsonPath } from '@flotilla/schema/jsonpath';
import { groupOf, guessResource } from '../manifests/rendered-manifest.ts';

/** What applies works of one cluster. */
export interface SimulatedAgentInput {
  readonly clusterName: string;
  readonly hub: KubeClient;
  readonly managed: KubeClient;
  readonly log: Logger;
  now(): number;
}

/** What `WellKnownStatus` reports, below the status of each kind. */
const wellKnown: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Deployment: { ReadyReplicas: '.readyReplicas', Replicas: '.replicas', AvailableReplicas: '.availableReplicas' },
  DaemonSet: { NumberReady: '.numberReady', DesiredNumberScheduled: '.desiredNumberScheduled' },
  Job: { JobComplete: '.conditions[?(@.type=="Complete")].status', JobSucceeded: '.succeeded' },
  Pod: { PodReady: '.conditions[?(@.type=="Ready")].status', PodPhase: '.phase' },
};

type OrphaningRule = NonNullable<
  NonNullable<NonNullable<ManifestWorkSpec['deleteOption']>['selectivelyOrphans']>['orphaningRules']
>[number];

/** What was applied for a work, and what of it stays when the work goes. */
interface Applied {
  readonly manifests: readonly EmbeddedResource[];
  readonly orphans: readonly OrphaningRule[];
}

const isMeant = ({ group = '', resource, namespace = '', name }: OrphaningRule, manifest: EmbeddedResource): boolean =>
  groupOf(manifest.apiVersion) === group &&
  guessResource(manifest.kind) === resource &&
  keyOfManifest(manifest) === joinKey(namespace, name);

/** Applies the works of a cluster and reports back: as much of a work agent as add-ons see of it. */
export async function runSimulatedAgent(input: SimulatedAgentInput, signal: AbortSignal): Promise<void> {
  const { clusterName: namespace, hub, managed, log } = input;
  using hubCaches = createInformers({ client: hub });
  using managedCaches = createInformers({ client: managed });
  const works = hubCaches.resource(manifestWorks, { namespace });
  const watched = [deployments, daemonSets, jobs, pods].map((type) => managedCaches.resource<KubeObject>(type));
  const applied = new Map<string, Applied>();

  const remove = async (manifests: readonly EmbeddedResource[]) => {
    for (const manifest of manifests) {
      const handle = await managed.dynamic(manifest);
      await handle.delete(keyOfManifest(manifest), { propagationPolicy: 'Background' });
    }
  };
  const controller = defineController({
    name: `simulated-agent-${namespace}`,
    watches: [on(works), ...watched.map((cache) => on(cache, () => [...applied.keys()]))],
    async reconcile(key) {
      const work = works.get(key);
      if (!work || isDeleting(work)) {
        const { manifests = [], orphans = [] } = applied.get(key) ?? {};
        await remove(manifests.filter((manifest) => !orphans.some((rule) => isMeant(rule, manifest))));
        applied.delete(key);
        return done;
      }
      const manifests = work.spec?.workload?.manifests ?? [];
      const kept = new Set(manifests.map(keyOfObject));
      await remove((applied.get(key)?.manifests ?? []).filter((manifest) => !kept.has(keyOfObject(manifest))));
      const objects: KubeObject[] = [];
      for (const manifest of manifests) {
        const handle = await managed.dynamic(manifest);
        objects.push(await handle.apply(manifest, { force: true, fieldManager: 'work-agent' }));
      }
      const orphans = work.spec?.deleteOption?.selectivelyOrphans?.orphaningRules ?? [];
      applied.set(key, { manifests, orphans });
      const status = await statusOf(work, objects, input);
      if (!semanticEqual(status, work.status)) {
        await works.status.patch(key, { type: 'merge', body: { status } });
      }
      return done;
    },
  });
  await runControllers([controller], { signal, log });
}

const keyOfManifest = ({ metadata }: EmbeddedResource): string =>
  joinKey(metadata?.namespace === undefined ? undefined : String(metadata.namespace), String(metadata?.name));
const keyOfObject = (manifest: EmbeddedResource): string =>
  `${manifest.apiVersion} ${manifest.kind} ${keyOfManifest(manifest)}`;

async function statusOf(work: ManifestWork, objects: readonly KubeObject[], { managed, now }: SimulatedAgentInput) {
  const observedGeneration = work.metadata?.generation;
  const say = (type: string, message: string) =>
    ({
      type,
      status: 'True',
      reason: type,
      message,
      ...(observedGeneration !== undefined && { observedGeneration }),
    }) as const;
  const conditions = [say('Applied', 'the manifests are applied'), say('Available', 'the objects exist')];
  const manifests = await Promise.all(
    objects.map(async (object, ordinal) => {
      const { apiVersion = '', kind = '', metadata: { namespace = '', name = '' } = {} } = object;
      const { plural: resource } = await managed.mapper.byKind(apiVersion, kind);
      const group = groupOf(apiVersion);
      const identity = { group, resource, namespace, name };
      const known = work.status?.resourceStatus?.manifests?.[ordinal]?.conditions;
      return {
        resourceMeta: { ordinal, ...identity, version: apiVersion.split('/').at(-1) ?? '', kind },
        statusFeedback: { values: feedback(object, rulesFor(work, identity)) },
        conditions: setConditions(known, conditions, now()),
      };
    }),
  );
  return { conditions: setConditions(work.status?.conditions, conditions, now()), resourceStatus: { manifests } };
}

type Rules = NonNullable<ManifestConfigOption['feedbackRules']>;

const rulesFor = (
  { spec }: ManifestWork,
  { group, resource, namespace, name }: Readonly<Record<'group' | 'resource' | 'namespace' | 'name', string>>,
): Rules =>
  (spec?.manifestConfigs ?? [])
    .filter(({ resourceIdentifier: id }) => (id.group ?? '') === group && id.resource === resource)
    .filter(({ resourceIdentifier: id }) => matches(id.namespace ?? '', namespace) && matches(id.name, name))
    .flatMap(({ feedbackRules = [] }) => feedbackRules);

const matches = (pattern: string, text: string): boolean => pattern === '*' || pattern === text;

function feedback(object: KubeObject, rules: Rules): ManifestFeedbackValue[] {
  const status = 'status' in object ? object.status : {};
  const paths = rules.flatMap(({ type, jsonPaths = [] }) =>
    type === 'WellKnownStatus'
      ? Object.entries(wellKnown[object.kind ?? ''] ?? {}).map(([name, path]) => ({ name, path }))
      : jsonPaths,
  );
  return paths.flatMap(({ name, path }): ManifestFeedbackValue[] => {
    const value = compileJsonPath(path).find(status)[0]?.[0];
    if (typeof value === 'number') return [{ name, fieldValue: { type: 'Integer', integer: value } }];
    if (typeof value === 'boolean') return [{ name, fieldValue: { type: 'Boolean', boolean: value } }];
    return typeof value === 'string' ? [{ name, fieldValue: { type: 'String', string: value } }] : [];
  });
}
