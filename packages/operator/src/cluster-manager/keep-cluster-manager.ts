import type { ClusterManager } from '@flotilla/api-types';
import { webhookService } from '@flotilla/install';
import type { ConditionInput } from '@flotilla/kube';
import type { OperatorReport } from '../apply/index.ts';
import { applied, gateCondition, notApplied, programConditions } from './cluster-manager.status.ts';
import { invalidGates } from './feature-gates.policy.ts';
import { connectHub, type HubContext, othersOf, profileOf, scopeOf } from './hub-context.ts';
import { type KeptHub, keepHub, observedPrograms, observedProxyApi } from './keep-hub.ts';
import { migrateStorage } from './migrate-storage.ts';
import { failedPhase } from './phase.ts';
import { problemsOf } from './validation.policy.ts';

/** What a reconcile came to. */
export interface Outcome {
  readonly report: OperatorReport;
  /** To try again for. */
  readonly error?: unknown;
  /** When a certificate or token is to be renewed. */
  readonly renewAt?: number;
}

/** Makes a hub as its ClusterManager describes it, and reports how far it is. */
export async function keepClusterManager(
  context: HubContext,
  clusterManager: ClusterManager,
  signal: AbortSignal,
): Promise<Outcome> {
  const gates = gateCondition(invalidGates(clusterManager.spec ?? {}));
  const { settings } = context;
  const problems = [
    ...problemsOf(clusterManager, othersOf(context, clusterManager), settings.hubImage),
    ...profileOf(context).problems,
  ];
  if (problems.length > 0) {
    return { report: { conditions: [gates, notApplied('InvalidConfiguration', problems.join(' '))] } };
  }
  const { scope, why } = scopeOf(context, clusterManager);
  const programs = () =>
    programConditions(scope.hub, observedPrograms(scope), {
      why: `${scope.hub.replicas} ${scope.hub.replicas === 1 ? 'replica' : 'replicas'}: ${why}`,
      proxyApi: observedProxyApi(scope),
    });
  try {
    await connectHub(scope, signal);
    const hub = await keepHub(scope);
    const { condition: migrated, error } = await migrateStorage(scope.cluster, scope.owner.name);
    const conditions = [gates, appliedOf(hub), migrated, ...programs()];
    return { report: { conditions, kept: hub.kept }, renewAt: hub.renewAt, error };
  } catch (caught) {
    const error = failedPhase(caught, 'HubResourceApplyFailed');
    const report = { conditions: [gates, notApplied(error.reason, error.message), ...programs()] };
    return error.cause === undefined ? { report } : { report, error };
  }
}

function appliedOf({ waitsFor }: KeptHub): ConditionInput {
  if (waitsFor.length === 0) return applied();
  const services = waitsFor.map((server) => webhookService[server]).join(', ');
  return notApplied('WebhooksPending', `Webhook configurations wait until a pod answers for ${services}`);
}
