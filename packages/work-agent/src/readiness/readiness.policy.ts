import { type Manifest, splitApiVersion } from '../manifest.ts';
import {
  conditionWith,
  current,
  failed,
  inProgress,
  type ObservedObject,
  observedObject,
  type Readiness,
  type ReadinessRule,
} from './readiness.ts';
import { daemonSetRule, deploymentRule, jobRule, podRule, replicaSetRule, statefulSetRule } from './workload-rules.ts';

const claimRule: ReadinessRule = ({ status }) => {
  const phase = status.text('phase');
  return phase === 'Bound' ? current('PVC is Bound') : inProgress(`PVC is not Bound. phase: ${phase ?? 'unknown'}`);
};

const serviceRule: ReadinessRule = ({ spec }) =>
  spec.text('type') === 'LoadBalancer' && !spec.text('clusterIP')
    ? inProgress('ClusterIP not set. Service type: LoadBalancer')
    : current('Service is ready');

const definitionRule: ReadinessRule = (object) => {
  const refused = conditionWith(object, 'NamesAccepted', 'False');
  if (refused) return failed(refused.message);
  const unestablished = conditionWith(object, 'Established', 'False');
  if (unestablished && unestablished.reason !== 'Installing') return failed(unestablished.message);
  return conditionWith(object, 'Established', 'True')
    ? current('CRD is established')
    : inProgress('Install in progress');
};

const apiServiceRule: ReadinessRule = (object) =>
  conditionWith(object, 'Available', 'True')
    ? current('APIService is available')
    : inProgress(conditionWith(object, 'Available', 'False')?.message || 'APIService not Available');

const disruptionBudgetRule: ReadinessRule = () => current('AllowedDisruptions has been computed.');

/** For a kind without a rule of its own: without the condition Ready, nothing says that it is not ready. */
const genericRule: ReadinessRule = ({ conditions }) => {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return !ready || ready.status === 'True'
    ? current('Resource is current')
    : inProgress(ready.message || `Ready is ${ready.status}`);
};

/** By group and kind: what rules read is the same in all versions of a kind. */
const rules: Readonly<Record<string, ReadinessRule>> = {
  'apps/Deployment': deploymentRule,
  'apps/StatefulSet': statefulSetRule,
  'apps/DaemonSet': daemonSetRule,
  'apps/ReplicaSet': replicaSetRule,
  'batch/Job': jobRule,
  '/Pod': podRule,
  '/PersistentVolumeClaim': claimRule,
  '/Service': serviceRule,
  'policy/PodDisruptionBudget': disruptionBudgetRule,
  'apiextensions.k8s.io/CustomResourceDefinition': definitionRule,
  'apiregistration.k8s.io/APIService': apiServiceRule,
};

/** Kinds whose controllers always write `observedGeneration`: without it they have not seen the object. */
const writesGeneration: ReadonlySet<string> = new Set([
  'apps/Deployment',
  'apps/StatefulSet',
  'apps/DaemonSet',
  'apps/ReplicaSet',
  'policy/PodDisruptionBudget',
]);

/** Whether an object has come to what its spec asks for: the rules of kstatus with the exceptions of ADR 0160. Pure. */
export function readinessOf(object: Manifest): Readiness {
  const { metadata, apiVersion, kind = '' } = object;
  if (metadata?.deletionTimestamp) return { status: 'Terminating', message: 'Resource scheduled for deletion' };
  const name = `${splitApiVersion(apiVersion).group}/${kind}`;
  const observed = observedObject(object);
  return (
    outdatedStatus(observed, kind, metadata?.generation, writesGeneration.has(name)) ??
    standardCondition(observed) ??
    (rules[name] ?? genericRule)(observed)
  );
}

/** Set if the status is about an earlier generation than the spec. */
function outdatedStatus(
  { status, conditions }: ObservedObject,
  kind: string,
  generation: number | undefined,
  isRequired: boolean,
): Readiness | undefined {
  if (generation === undefined) return undefined;
  const observed = status.number('observedGeneration');
  if (observed === undefined && isRequired) return inProgress(`${kind} status.observedGeneration not found`);
  if (observed !== undefined && observed !== generation) {
    return inProgress(`${kind} generation is ${generation}, but latest observed generation is ${observed}`);
  }
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.observedGeneration === undefined || ready.observedGeneration === generation) return undefined;
  return inProgress(`${kind} generation is ${generation}, but Ready is of generation ${ready.observedGeneration}`);
}

/** The conditions that kstatus defines for any kind. */
function standardCondition(object: ObservedObject): Readiness | undefined {
  const reconciling = conditionWith(object, 'Reconciling', 'True');
  if (reconciling) return inProgress(reconciling.message || 'Resource is reconciling');
  const stalled = conditionWith(object, 'Stalled', 'True');
  return stalled && failed(stalled.message || 'Resource is stalled');
}
