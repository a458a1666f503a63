import { FeedbackValue, type ManifestCondition, readinessOfManifest } from '@flotilla/api-types';
import type { TemplateManifest } from './template.ts';

/** Whether what a manifest made works, by what the agent reports. */
export type Readiness = { readonly kind: 'ready' } | { readonly kind: 'waiting' | 'failed'; readonly why: string };

const ready: Readiness = { kind: 'ready' };

type Values = ReadonlyMap<string, number | string | boolean>;

const valuesOf = ({ statusFeedback }: ManifestCondition): Values =>
  new Map(
    (statusFeedback?.values ?? []).map(({ name, fieldValue: { integer, string, boolean } }) => [
      name,
      integer ?? string ?? boolean ?? '',
    ]),
  );

const numberOf = (values: Values, name: string): number => Number(values.get(name) ?? 0);

const optionalNumberOf = (values: Values, name: string): number | undefined =>
  values.has(name) ? numberOf(values, name) : undefined;

/** Values that a template may ask for by JSONPath, for agents that report no readiness. */
const updatedReplicas = 'UpdatedReplicas';
const updatedNumberScheduled = 'UpdatedNumberScheduled';
const observedGeneration = 'ObservedGeneration';
const generationOfObject = 'Generation';

/** Whether the controller of the object has seen its newest spec, if that is reported. */
function isOutdated(values: Values): boolean {
  const observed = optionalNumberOf(values, observedGeneration);
  const generation = optionalNumberOf(values, generationOfObject);
  return observed !== undefined && generation !== undefined && observed < generation;
}

/** Absent values are zeros: Kubernetes leaves them out. */
const readinessByKind: Readonly<Record<string, (values: Values, template: TemplateManifest) => Readiness>> = {
  Deployment(values, { replicas }) {
    const total = numberOf(values, FeedbackValue.Replicas);
    const wanted = replicas ?? Math.max(1, total);
    const available = numberOf(values, FeedbackValue.AvailableReplicas);
    const updated = optionalNumberOf(values, updatedReplicas) ?? wanted;
    if (updated < wanted) return { kind: 'waiting', why: `${updated} of ${wanted} replicas are updated` };
    // The pods of the version before keep a rolling update available whose new pods never start.
    if (total > wanted) return { kind: 'waiting', why: `${total} replicas exist, ${wanted} are wanted: it is updated` };
    return available >= wanted ? ready : { kind: 'waiting', why: `${available} of ${wanted} replicas are available` };
  },
  DaemonSet(values) {
    const wanted = optionalNumberOf(values, FeedbackValue.DesiredNumberScheduled);
    const available = numberOf(values, FeedbackValue.NumberReady);
    if (wanted === undefined) return { kind: 'waiting', why: 'it is not scheduled' };
    const updated = optionalNumberOf(values, updatedNumberScheduled) ?? wanted;
    if (updated < wanted) return { kind: 'waiting', why: `${updated} of ${wanted} pods are updated` };
    return available >= wanted ? ready : { kind: 'waiting', why: `${available} of ${wanted} pods are ready` };
  },
  Job: (values) =>
    values.get(FeedbackValue.JobComplete) === 'True' ? ready : { kind: 'waiting', why: 'it is not complete' },
  Pod(values) {
    const phase = values.get(FeedbackValue.PodPhase);
    if (phase === 'Failed') return { kind: 'failed', why: 'the pod failed' };
    const isReady = phase === 'Succeeded' || values.get(FeedbackValue.PodReady) === 'True';
    return isReady ? ready : { kind: 'waiting', why: `the pod is not ready${phase ? `, its phase is ${phase}` : ''}` };
  },
};

/** By feedback alone. A kind without well-known values, or of which none are asked for, is ready when it exists. */
function readinessByFeedback(manifest: ManifestCondition, template: TemplateManifest | undefined): Readiness {
  const values = valuesOf(manifest);
  const decide = readinessByKind[manifest.resourceMeta.kind ?? ''];
  if (!decide || !template || !(template.reportsWellKnownStatus || isWellKnown(values))) return ready;
  if (isOutdated(values)) return { kind: 'waiting', why: 'its controller has not observed the newest spec' };
  return decide(values, template);
}

/**
 * Whether what one manifest made works. The agent decides, for the generation of the work that it applied; agents that report no
 * readiness, such as OCM's, leave no more than the feedback of an unknown generation.
 */
export function readinessOf(
  manifest: ManifestCondition,
  template: TemplateManifest | undefined,
  generation: number | undefined,
): Readiness {
  const reported = readinessOfManifest(manifest, generation);
  const readiness: Readiness = !reported
    ? readinessByFeedback(manifest, template)
    : reported.kind === 'ready'
      ? ready
      : { kind: reported.kind, why: reported.message };
  if (readiness.kind === 'ready') return ready;
  const { kind = '', namespace, name } = manifest.resourceMeta;
  return { ...readiness, why: `${kind} ${namespace ? `${namespace}/` : ''}${name}: ${readiness.why}` };
}

const wellKnownNames: ReadonlySet<string> = new Set(Object.values(FeedbackValue));
const isWellKnown = (values: Values): boolean => [...values.keys()].some((name) => wellKnownNames.has(name));
