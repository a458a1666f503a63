// Client and credentials

export { createTransport, type TransportOptions } from './client/create-transport.ts';
export type * from './client/transport.ts';
export type * from './credentials/access.ts';
export { type DefaultAccessOptions, defaultAccess } from './credentials/default-access.ts';
export type { ExecPluginOptions } from './credentials/exec-plugin.ts';
export { type InClusterOptions, inClusterAccess } from './credentials/in-cluster-access.ts';
export { type KubeconfigAccessOptions, kubeconfigAccess } from './credentials/kubeconfig-access.ts';
export * from './credentials/kubeconfig-document.ts';
export { type SecretAccessOptions, type SecretData, secretAccess } from './credentials/secret-access.ts';
export { secretData } from './credentials/secret-data.ts';
export { staticAccess } from './credentials/static-access.ts';

// Clock, store, informers, controllers

export { type Backoff, backoffMs } from './clock/backoff.ts';
export type * from './clock/clock.ts';
export { realClock } from './clock/real-clock.ts';
export * from './controller/controller.ts';
export * from './controller/queue.ts';
export * from './controller/result.ts';
export * from './controller/run-controllers.ts';
export * from './controller/watch.ts';
export type * from './informer/informer.ts';
export * from './informer/informers.ts';
export { reflect } from './reflector/reflect.ts';
export type { ReflectorEvent, ReflectorOptions } from './reflector/reflector.ts';
export { describeSelection, type Selection } from './reflector/selection.ts';
export { stripBookkeeping } from './reflector/strip.ts';
export { MemoryStore } from './store/memory-store.ts';
export type * from './store/store.ts';

// Log and metrics

export * from './log/logger.ts';
export * from './metrics/kit-metrics.ts';

// Admission

export type * from './admission/webhook.ts';

// Errors

export { isAbsence } from './errors/absence.ts';
export type * from './errors/api-status.ts';
export * from './errors/codes.ts';
export * from './errors/kube-error.ts';

// Resources, discovery, conditions, metadata, events, leader election

export * from './conditions/apply-conditions.ts';
export * from './conditions/conditions.ts';
export type { EventInput, EventReporter } from './events/event.policy.ts';
export * from './events/event-recorder.ts';
export type { EventLimits } from './events/event-series.ts';
export type { LeaderElectionOptions } from './leader-election/options.ts';
export * from './leader-election/run-as-leader.ts';
export * from './meta/equality.ts';
export * from './meta/finalizers.ts';
export * from './meta/keys.ts';
export * from './meta/labels.ts';
export * from './meta/owner-references.ts';
export * from './meta/resource-version.ts';
export * from './meta/time.ts';
export type * from './resources/api-resource.ts';
export * from './resources/core-kinds.ts';
export type * from './resources/core-types.ts';
export * from './resources/kube-client.ts';
export { apiVersionOf } from './resources/representation.ts';
export type * from './resources/resource-handle.ts';
export type { RestMapper } from './resources/rest-mapper.ts';
export * from './resources/subresource-calls.ts';
export type { Wire } from './resources/wire.ts';
