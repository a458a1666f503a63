import type { OperatedHub } from '@flotilla/install';
import type { ConditionInput } from '@flotilla/kube';
import type { APIService, Deployment } from '@flotilla/kube/kinds';

/** A Deployment of the hub, and what is known of it. */
export interface ObservedProgram {
  readonly name: string;
  readonly live: Deployment | undefined;
}

/** What OCM's conditions and ours call a part of the hub, and the programs that it consists of. */
interface HubPart {
  readonly type: string;
  /** In reasons: `UnavailableRegistrationPod`. */
  readonly word: string;
  readonly suffixes: readonly string[];
}

/** OCM reports the first two. */
const parts: readonly HubPart[] = [
  {
    type: 'HubRegistrationDegraded',
    word: 'Registration',
    suffixes: ['registration-controller', 'registration-webhook'],
  },
  { type: 'HubPlacementDegraded', word: 'Placement', suffixes: ['placement-controller'] },
  { type: 'HubWorkDegraded', word: 'Work', suffixes: ['work-webhook', 'work-controller'] },
  { type: 'HubAddOnManagerDegraded', word: 'AddOnManager', suffixes: ['addon-webhook', 'addon-manager-controller'] },
  { type: 'HubGRPCServerDegraded', word: 'GRPCServer', suffixes: ['grpc-server'] },
  { type: 'HubPushAgentsDegraded', word: 'PushAgents', suffixes: ['push-agents'] },
];
const clusterProxy: HubPart = {
  type: 'HubClusterProxyDegraded',
  word: 'ClusterProxy',
  suffixes: ['cluster-proxy'],
};

/** The conditions about the programs of a hub: whether they are being rolled out, and for each part whether it works. */
export function programConditions(
  hub: Pick<OperatedHub, 'name'>,
  programs: readonly ObservedProgram[],
  { why, proxyApi }: { readonly why: string; readonly proxyApi: APIService | undefined },
): ConditionInput[] {
  const ofPart = (part: HubPart): ConditionInput =>
    degraded(
      part,
      programs.filter(({ name }) => part.suffixes.some((end) => name === `${hub.name}-${end}`)),
    );
  return [progressing(programs, why), ...parts.map(ofPart), reached(ofPart(clusterProxy), proxyApi)];
}

/** Pods that run are of no use while the API server of the hub does not reach them: it says so in the APIService. */
function reached(pods: ConditionInput, api: APIService | undefined): ConditionInput {
  if (pods.reason !== `${clusterProxy.word}Functional`) return pods;
  const { type } = pods;
  if (!api) {
    return { type, status: 'True', reason: 'APIServicePending', message: 'The APIService does not exist yet' };
  }
  const available = api.status?.conditions?.find((condition) => condition.type === 'Available');
  if (available?.status === 'True') return pods;
  const message = available?.message ?? 'the API server has not checked it yet';
  return { type, status: 'True', reason: 'APIServiceUnavailable', message: `${api.metadata?.name}: ${message}` };
}

const isRolling = ({ live }: ObservedProgram): boolean =>
  !live ||
  live.metadata?.generation !== live.status?.observedGeneration ||
  (live.spec?.replicas ?? 1) !== (live.status?.readyReplicas ?? 0) ||
  (live.spec?.replicas ?? 1) !== (live.status?.updatedReplicas ?? 0);

function progressing(programs: readonly ObservedProgram[], why: string): ConditionInput {
  const rolling = programs.filter(isRolling).map(({ name }) => name);
  return rolling.length > 0
    ? {
        type: 'Progressing',
        status: 'True',
        reason: 'ClusterManagerDeploymentRolling',
        message: `Deployments are rolling out: ${rolling.join(', ')}`,
      }
    : {
        type: 'Progressing',
        status: 'False',
        reason: 'ClusterManagerUpToDate',
        message: `All components of the cluster manager are up to date (${why})`,
      };
}

function degraded({ type, word }: HubPart, programs: readonly ObservedProgram[]): ConditionInput {
  if (programs.length === 0) {
    return { type, status: 'False', reason: `${word}Disabled`, message: `${word} is not enabled` };
  }
  const missing = programs.filter(({ live }) => !live).map(({ name }) => name);
  if (missing.length > 0) {
    const message = `Deployments do not exist: ${missing.join(', ')}`;
    return { type, status: 'True', reason: `Get${word}DeploymentFailed`, message };
  }
  const unavailable = programs.filter(({ live }) => unavailablePods(live) > 0);
  if (unavailable.length > 0) {
    const texts = unavailable.map(
      ({ name, live }) => `${unavailablePods(live)} of ${live?.spec?.replicas ?? 1} pods of ${name}`,
    );
    return {
      type,
      status: 'True',
      reason: `Unavailable${word}Pod`,
      message: `not available: ${texts.join(', ')}`,
    };
  }
  return { type, status: 'False', reason: `${word}Functional`, message: `${word} is functioning correctly` };
}

const unavailablePods = (live: Deployment | undefined): number =>
  (live?.spec?.replicas ?? 1) - (live?.status?.availableReplicas ?? live?.status?.readyReplicas ?? 0);

/** Whether a pod of a program answers. */
export const isServing = ({ live }: ObservedProgram): boolean => (live?.status?.readyReplicas ?? 0) > 0;

/** Whether all feature gates exist. Those that do are applied anyway. */
export const gateCondition = (invalid: readonly string[]): ConditionInput =>
  invalid.length === 0
    ? {
        type: 'ValidFeatureGates',
        status: 'True',
        reason: 'FeatureGatesAllValid',
        message: 'Feature gates are all valid',
      }
    : {
        type: 'ValidFeatureGates',
        status: 'False',
        reason: 'InvalidFeatureGatesExisting',
        message: `There are some invalid feature gates: ${invalid.join('; ')}`,
      };

/** Why something is not applied. */
export type NotAppliedReason =
  | 'CRDApplyFailed'
  | 'HubResourceApplyFailed'
  | 'RuntimeResourceApplyFailed'
  | 'ServiceAccountSyncFailed'
  | 'WebhookApplyFailed'
  | 'CertificateRotationFailed'
  | 'HubConnectionFailed'
  | 'InvalidConfiguration'
  | 'WebhooksPending'
  | 'Removing'
  | 'HubRemoved';

/** All that the ClusterManager asks for is on the hub. */
export const applied = (): ConditionInput => ({
  type: 'Applied',
  status: 'True',
  reason: 'ClusterManagerApplied',
  message: 'Components of cluster manager are applied',
});

export const notApplied = (reason: NotAppliedReason, message: string): ConditionInput => ({
  type: 'Applied',
  status: 'False',
  reason,
  // An API server takes 32768 characters.
  message: message.slice(0, 8000),
});

/** Nothing of a deleted ClusterManager is left on its hub. */
export const hubRemoved = notApplied('HubRemoved', 'The hub is removed; its namespace goes next');
