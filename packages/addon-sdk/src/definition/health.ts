import type { ManifestFeedbackValue } from '@flotilla/api-types';
import type { AddonContext } from './context.ts';
import type { Awaitable } from './manifest.ts';

/** Objects of the add-on's works; `*` in name and namespace stands for anything. */
export interface ProbeField {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, such as `deployments`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** What to report, by name: JSONPaths in the object, such as `.status.phase`. Default: the well-known values of the kind. */
  readonly values?: Readonly<Record<string, string>>;
}

/** What the agent of the cluster reports about one object. */
export interface ProbeResult {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly values: readonly ManifestFeedbackValue[];
}

/** Returns or throws what is wrong; returns undefined if nothing is. */
export type HealthCheck = (results: readonly ProbeResult[], context: AddonContext) => Awaitable<string | undefined>;

/** How the health of an add-on is known. */
export type HealthProber =
  | { readonly type: 'lease' }
  | { readonly type: 'none' }
  | { readonly type: 'work'; readonly fields: readonly ProbeField[]; readonly check?: HealthCheck }
  | { readonly type: 'workloads'; readonly kinds: readonly WorkloadKind[]; readonly names?: readonly string[] };

/** Kinds of workloads whose availability is known without a check of one's own. */
export type WorkloadKind = 'deployments' | 'daemonsets';

/** Makes probers. */
export const health = {
  /** The agent renews a Lease on its cluster. What a definition without a prober has, too. */
  lease: (): HealthProber => ({ type: 'lease' }),
  /** The code of the add-on sets `Available` by itself. */
  none: (): HealthProber => ({ type: 'none' }),
  /** Available when the works are applied; with fields, when `check` accepts what is reported about them. */
  work: ({
    fields = [],
    check,
  }: {
    readonly fields?: readonly ProbeField[];
    readonly check?: HealthCheck;
  } = {}): HealthProber => ({ type: 'work', fields, ...(check && { check }) }),
  /** Available when the rendered Deployments and DaemonSets are; `names` restricts it to some of them. */
  workloads: ({
    kinds = ['deployments', 'daemonsets'],
    names,
  }: {
    readonly kinds?: readonly WorkloadKind[];
    readonly names?: readonly string[];
  } = {}): HealthProber => ({ type: 'workloads', kinds, ...(names && { names }) }),
};
