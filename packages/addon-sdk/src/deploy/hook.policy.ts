import {
  FeedbackValue,
  type ManifestConfigOption,
  type ManifestFeedbackValue,
  type ManifestWork,
  ManifestWorkCondition,
} from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import { wellKnownStatus } from '../health/probe-fields.ts';
import { groupOf, type RenderedManifest } from '../manifests/rendered-manifest.ts';

/** Beside the well-known values, which do not tell a Job that failed from one that still runs. */
const jobFailed = { name: 'JobFailed', path: '.status.conditions[?(@.type=="Failed")].status' };

/** What agents must report about hooks. */
export const hookConfigs = (hooks: readonly RenderedManifest[]): ManifestConfigOption[] =>
  hooks.map(({ apiVersion, kind, metadata }) => ({
    resourceIdentifier: {
      group: groupOf(apiVersion),
      resource: kind === 'Job' ? 'jobs' : 'pods',
      ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
      name: metadata.name,
    },
    feedbackRules:
      kind === 'Job' ? [wellKnownStatus, { type: 'JSONPaths', jsonPaths: [jobFailed] }] : [wellKnownStatus],
  }));

/** How far the hooks of an add-on are. */
export type HookState =
  | { readonly kind: 'running' }
  | { readonly kind: 'completed' }
  /** They ended without success, and will not go on by themselves. */
  | { readonly kind: 'failed'; readonly hooks: readonly string[] };

/** How far the hooks in a work are, by what its agent reports. */
export function hookState({ spec, status }: ManifestWork): HookState {
  const reported = status?.resourceStatus?.manifests ?? [];
  const states = (spec?.manifestConfigs ?? []).map(
    ({ resourceIdentifier: { group = '', resource, namespace = '', name } }) => {
      const values =
        reported.find(
          ({ resourceMeta: meta }) =>
            (meta.group ?? '') === group &&
            meta.resource === resource &&
            (meta.namespace ?? '') === namespace &&
            meta.name === name,
        )?.statusFeedback?.values ?? [];
      return { name: `${resource} ${namespace ? `${namespace}/` : ''}${name}`, state: stateOf(resource, values) };
    },
  );
  const failed = states.filter(({ state }) => state === 'failed').map(({ name }) => name);
  if (failed.length > 0) return { kind: 'failed', hooks: failed };
  const isApplied = isConditionTrue(status?.conditions, ManifestWorkCondition.Available);
  return { kind: isApplied && states.every(({ state }) => state === 'completed') ? 'completed' : 'running' };
}

function stateOf(resource: string, values: readonly ManifestFeedbackValue[]): HookState['kind'] {
  const textOf = (name: string) => values.find((value) => value.name === name)?.fieldValue.string;
  if (resource === 'jobs') {
    if (textOf(FeedbackValue.JobComplete) === 'True') return 'completed';
    return textOf(jobFailed.name) === 'True' ? 'failed' : 'running';
  }
  const phase = textOf(FeedbackValue.PodPhase);
  if (phase === 'Succeeded') return 'completed';
  return phase === 'Failed' ? 'failed' : 'running';
}
