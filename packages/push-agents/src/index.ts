/** The agents of clusters that the hub reaches itself. */
export { defaultHealthTimes, type HealthTimes } from './health/member-health.ts';
export { type RunPushAgentsInput, runPushAgents } from './run-push-agents.ts';
export { replicaFor } from './sharding/assignment.policy.ts';
export { defaultReplicaTimes, type ReplicaTimes } from './sharding/replicas.policy.ts';
export { accessRenewedCondition } from './token/token.status.ts';
