import { FeedbackValue, type ManifestCondition } from '@flotilla/api-types';
import type { TemplateManifest } from './template.ts';

/** Whether what a manifest made works, by the values that the agent reports. */
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

/** Absent values are zeros: Kubernetes leaves them out. */
const readinessByKind: Readonly<Record<string, (values: Values, template: TemplateManifest) => Readiness>> = {
  Deployment(values, { replicas }) {
    const wanted = replicas ?? Math.max(1, numberOf(values, FeedbackValue.Replicas));
    const available = numberOf(values, FeedbackValue.AvailableReplicas);
    return available >= wanted ? ready : { kind: 'waiting', why: `${available} of ${wanted} replicas are available` };
  },
  DaemonSet(values) {
    const wanted = values.get(FeedbackValue.DesiredNumberScheduled);
    const available = numberOf(values, FeedbackValue.NumberReady);
    if (wanted === undefined) return { kind: 'waiting', why: 'it is not scheduled' };
    return available >= Number(wanted) ? ready : { kind: 'waiting', why: `${available} of ${wanted} pods are ready` };
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

/** Whether what one manifest made works. A kind without well-known values, or of which none are asked for, is ready when it exists. */
export function readinessOf(manifest: ManifestCondition, template: TemplateManifest | undefined): Readiness {
  const { kind = '', namespace, name } = manifest.resourceMeta;
  const values = valuesOf(manifest);
  const decide = readinessByKind[kind];
  if (!decide || !template || !(template.reportsWellKnownStatus || isWellKnown(values))) return ready;
  const readiness = decide(values, template);
  if (readiness.kind === 'ready') return ready;
  return { ...readiness, why: `${kind} ${namespace ? `${namespace}/` : ''}${name}: ${readiness.why}` };
}

const wellKnownNames: ReadonlySet<string> = new Set(Object.values(FeedbackValue));
const isWellKnown = (values: Values): boolean => [...values.keys()].some((name) => wellKnownNames.has(name));
