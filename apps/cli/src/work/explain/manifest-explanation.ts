import {
  appliedManifestWorks,
  type ManifestCondition,
  type ManifestWork,
  ManifestWorkCondition,
  WorkManifestCondition,
} from '@flotilla/api-types';
import type { Condition } from '@flotilla/schema';
import { resolveManifestConfig } from '@flotilla/work-agent/config';
import { describeManifest, type Manifest } from '../manifests.ts';
import { feedbackText } from '../work-state.ts';
import { adviceFor } from './advice.ts';
import type { ManagedFacts, ObjectFacts, WorkFacts } from './facts.ts';
import { type NextTry, never, nextTryOf } from './next-try.ts';
import { otherWriters, type Writer } from './writers.ts';

/** What a condition says. */
export interface Said {
  readonly status: string;
  readonly since?: string;
  readonly message: string;
}

/** An object on the managed cluster. */
export interface LiveObject {
  readonly state: 'there' | 'absent' | 'unreadable';
  readonly why?: string;
  readonly uid?: string;
  readonly created?: string;
  readonly deleting?: string;
  readonly finalizers?: readonly string[];
  /** Whether the work's AppliedManifestWork owns it, so that it goes with the work. */
  readonly owned?: boolean;
  /** AppliedManifestWorks of other works that own it too. */
  readonly sharedWith?: readonly string[];
  /** Whether the agent remembers this very object. */
  readonly tracked?: boolean;
  readonly writers?: readonly Writer[];
}

/** One manifest, from the hub to the object. */
export interface ManifestExplanation {
  readonly index: number;
  readonly object: string;
  /** How the object is written, where it is not simply kept as the manifest says. */
  readonly strategy?: string;
  readonly applied: Said;
  readonly available: Said;
  /** Conditions by rules of the user. */
  readonly conditions: readonly (Said & { readonly type: string })[];
  readonly feedback: readonly string[];
  readonly lastError?: string;
  readonly nextTry?: NextTry;
  readonly advice?: string;
  readonly live?: LiveObject;
}

const notReported: Said = { status: 'not reported', message: '' };

const said = (condition: Condition | undefined): Said =>
  condition
    ? { status: condition.status, since: condition.lastTransitionTime, message: condition.message }
    : notReported;

const builtIn: readonly string[] = [
  WorkManifestCondition.Applied,
  WorkManifestCondition.Available,
  WorkManifestCondition.StatusFeedbackSynced,
];

/** What the agent reported of a manifest. Matched by what it is, since the list may have changed since. */
function reportOf(work: ManifestWork, index: number, { kind, metadata }: Manifest): ManifestCondition | undefined {
  const reports = work.status?.resourceStatus?.manifests ?? [];
  const isIt = ({ resourceMeta }: ManifestCondition) =>
    resourceMeta.kind === kind && resourceMeta.name === metadata?.name;
  // An agent that cannot read the kind knows the position only.
  const bare = ({ resourceMeta }: ManifestCondition) => resourceMeta.ordinal === index && !resourceMeta.kind;
  const candidates = reports.filter(isIt);
  return (
    candidates.find(({ resourceMeta }) => resourceMeta.ordinal === index) ??
    candidates.find(({ resourceMeta }) => (resourceMeta.namespace ?? '') === (metadata?.namespace ?? '')) ??
    reports.find(bare)
  );
}

function liveObject(facts: ObjectFacts, manifest: Manifest, { appliedWorks }: ManagedFacts): LiveObject {
  if (facts.kind === 'unreadable') return { state: 'unreadable', why: facts.why };
  if (facts.kind === 'absent') return { state: 'absent' };
  const { metadata = {} } = facts.object;
  const { uid, creationTimestamp, deletionTimestamp, finalizers } = metadata;
  const own = new Set(appliedWorks.map((applied) => applied.metadata?.uid));
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === appliedManifestWorks.kind);
  const others = owners.filter((owner) => !own.has(owner.uid));
  return {
    state: 'there',
    ...(uid && { uid }),
    ...(creationTimestamp && { created: creationTimestamp }),
    ...(deletionTimestamp && { deleting: deletionTimestamp }),
    ...(finalizers && finalizers.length > 0 && { finalizers }),
    owned: owners.length > others.length,
    ...(others.length > 0 && { sharedWith: others.map(({ name }) => name) }),
    tracked: appliedWorks.some(({ status }) => status?.appliedResources?.some((resource) => resource.uid === uid)),
    writers: otherWriters(facts.object, manifest),
  };
}

const strategies: Readonly<Record<string, string>> = {
  CreateOnly: 'CreateOnly: an object that exists is not changed',
  ReadOnly: 'ReadOnly: the object is only read',
  ServerSideApply: 'ServerSideApply: fields of others stay theirs',
};

/** The settings of a work name plurals, which the agent reports. */
function strategyOf(work: ManifestWork, manifest: Manifest, report: ManifestCondition | undefined): string | undefined {
  const { resource } = report?.resourceMeta ?? {};
  if (!resource) return undefined;
  const { namespace = '', name = '' } = manifest.metadata ?? {};
  const meta = { group: report?.resourceMeta.group ?? '', resource, namespace, name };
  return strategies[resolveManifestConfig(work.spec?.manifestConfigs, meta)?.updateStrategy?.type ?? ''];
}

/** The error that matters most: not applied, then not readable, then values that could not be read. */
function lastErrorOf(report: ManifestCondition | undefined): string | undefined {
  const failed = [
    WorkManifestCondition.Applied,
    WorkManifestCondition.Available,
    WorkManifestCondition.StatusFeedbackSynced,
  ]
    .map((type) => report?.conditions.find((condition) => condition.type === type))
    .find((condition) => condition && condition.status !== 'True' && condition.message !== '');
  return failed?.message;
}

/** Explains one manifest of a work. */
export function explainManifest(
  index: number,
  manifest: Manifest,
  { work, managed, now }: WorkFacts,
): ManifestExplanation {
  const report = reportOf(work, index, manifest);
  const find = (type: string) => report?.conditions.find((condition) => condition.type === type);
  const strategy = strategyOf(work, manifest, report);
  const applied = said(find(WorkManifestCondition.Applied));
  const lastError = lastErrorOf(report);
  const advice = lastError === undefined ? undefined : adviceFor(lastError);
  const facts = managed?.objects[index];
  const isComplete = find(ManifestWorkCondition.Complete)?.status === 'True';
  return {
    index,
    object: describeManifest(manifest),
    ...(strategy !== undefined && { strategy }),
    applied,
    available: said(find(WorkManifestCondition.Available)),
    conditions: (report?.conditions ?? [])
      .filter(({ type }) => !builtIn.includes(type))
      .map((condition) => ({ type: condition.type, ...said(condition) })),
    feedback: (report?.statusFeedback?.values ?? []).map(feedbackText),
    ...(lastError !== undefined && { lastError }),
    ...(applied.status === 'False' && { nextTry: isComplete ? never : nextTryOf(applied.message, now) }),
    ...(advice !== undefined && { advice }),
    ...(managed && facts && { live: liveObject(facts, manifest, managed) }),
  };
}
