import {
  type ManagedCluster,
  ManagedClusterAddOnCondition,
  ManagedClusterCondition,
  type ManifestCondition,
  type ManifestWork,
  ManifestWorkCondition,
} from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import { compileWildcard } from '@flotilla/rules';
import type { Condition } from '@flotilla/schema';
import type { AddonContext } from '../definition/context.ts';
import type { HealthProber, ProbeField, ProbeResult } from '../definition/health.ts';
import * as status from './health.status.ts';
import { probeFields } from './probe-fields.ts';
import { checkWorkloads } from './workload-check.ts';

/** What the health of an add-on is decided from. */
export interface HealthInput {
  readonly prober: HealthProber;
  readonly addonName: string;
  readonly cluster: ManagedCluster;
  readonly conditions: readonly Condition[];
  /** Deploy works of the site where the agent runs. */
  readonly works: readonly ManifestWork[];
  readonly context: AddonContext;
}

/** Who decides whether the add-on is available; undefined leaves it as it is. */
export const healthMode = (prober: HealthProber | undefined): 'Lease' | 'Customized' | undefined =>
  prober && (prober.type === 'lease' ? 'Lease' : 'Customized');

/** Whether an add-on is available, by its works; undefined if that cannot be known from them, or is known by others. */
export async function evaluateHealth(input: HealthInput): Promise<ConditionInput | undefined> {
  const { prober, addonName, cluster, conditions, works, context } = input;
  if (prober.type === 'lease' || prober.type === 'none') return undefined;
  if (prober.type === 'work' && prober.fields.length === 0 && !prober.check) return status.workApplied;
  if (!findCondition(conditions, ManagedClusterAddOnCondition.ManifestApplied)) return undefined;
  const { status: reachable } = findCondition(cluster.status?.conditions, ManagedClusterCondition.Available) ?? {};
  // The hub then says so of all add-ons of the cluster.
  if (reachable === 'Unknown') return undefined;
  if (works.length === 0) return status.workNotFound;
  for (const work of works) {
    const available = findCondition(work.status?.conditions, ManifestWorkCondition.Available);
    if (!available) return status.workNotApplied;
    if (available.status === 'False') return status.workNotAvailable(available.message);
  }
  const fields = probeFields(
    prober,
    works.flatMap(({ spec }) => spec?.workload?.manifests ?? []),
  );
  const reported = works.flatMap(({ status: found }) => found?.resourceStatus?.manifests ?? []);
  const results = fields.flatMap((field) => resultsOf(field, reported));
  if (fields.length > 0 && results.length === 0) return status.noProbeResult;
  const wrong = await problemOf(prober, results, context);
  return wrong === undefined ? status.available(addonName) : status.unavailable(wrong);
}

async function problemOf(
  prober: HealthProber,
  results: readonly ProbeResult[],
  context: AddonContext,
): Promise<string | undefined> {
  if (prober.type === 'workloads') return checkWorkloads(results);
  if (prober.type !== 'work' || !prober.check) return undefined;
  try {
    return await prober.check(results, context);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What is reported about the objects that a field names; those without values are left out. */
function resultsOf(field: ProbeField, reported: readonly ManifestCondition[]): ProbeResult[] {
  const isNamespace = compileWildcard(field.namespace);
  const isName = compileWildcard(field.name);
  return reported.flatMap(({ resourceMeta, statusFeedback }) => {
    const { group = '', resource = '', namespace = '', name = '' } = resourceMeta;
    const values = statusFeedback?.values ?? [];
    if (values.length === 0 || group !== field.group || resource !== field.resource) return [];
    if (!isNamespace(namespace) || !isName(name)) return [];
    return [{ group, resource, namespace, name, values }];
  });
}
