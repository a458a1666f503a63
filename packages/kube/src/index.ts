// The objects that everything else is about

export type { Condition, KubeObject, OwnerReference, ResourceType } from '@flotilla/schema';

// Client and access

export type { AccessSource, ClusterAccess } from './credentials/access.ts';
export { defaultAccess } from './credentials/default-access.ts';
export { inClusterAccess, isInCluster } from './credentials/in-cluster-access.ts';
export { kubeconfigAccess } from './credentials/kubeconfig-access.ts';
export { secretAccess } from './credentials/secret-access.ts';
export { staticAccess } from './credentials/static-access.ts';
export { createKubeClient, type KubeClient, type KubeClientOptions } from './resources/kube-client.ts';
export type { Patch, ResourceHandle } from './resources/resource-handle.ts';
export { retryOnConflict } from './resources/retry-on-conflict.ts';

// Caches and controllers

export { type Controller, defineController } from './controller/controller.ts';
export { mapLimited } from './controller/map-limited.ts';
export type { QueuePriority } from './controller/queue.ts';
export { after, done, type Result, TerminalError } from './controller/result.ts';
export { type RunControllersOptions, runControllers } from './controller/run-controllers.ts';
export { generationChanged, on, owns, type Watch } from './controller/watch.ts';
export type { CachedResource, Informer } from './informer/informer.ts';
export { createInformers, type Informers } from './informer/informers.ts';
export { dropManagedFields } from './reflector/drop-managed-fields.ts';
export type { Store, StoreChange } from './store/store.ts';

// Status, metadata, events

export { applyConditions } from './conditions/apply-conditions.ts';
export { type ConditionInput, findCondition, isConditionTrue } from './conditions/conditions.ts';
export type { EventInput } from './events/event.policy.ts';
export { createEventRecorder, type EventRecorder } from './events/event-recorder.ts';
export { joinKey, keyOf, type ObjectKey, splitKey } from './meta/keys.ts';
export { ownerReferenceTo } from './meta/owner-references.ts';
export { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from './resources/finalizers.ts';

// One of many

export { runAsLeader } from './leader-election/run-as-leader.ts';

// Errors, time, log

export type { Clock } from './clock/clock.ts';
export { realClock } from './clock/real-clock.ts';
export { isAbsence } from './errors/absence.ts';
export { KubeError } from './errors/kube-error.ts';
export { type Logger, silentLogger } from './log/logger.ts';
export { stderrLogger } from './log/stderr-logger.ts';
