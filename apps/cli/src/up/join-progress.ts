import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';

/** The steps of a cluster from its request to Available, in the words of the quickstart. */
const steps = [
  'asks to join: registered itself and sent a certificate request',
  'is accepted on the hub',
  'gets its certificate',
  'has joined',
  'is Available',
] as const;

/** The last step. */
export const lastStep = steps.length;

/** How many steps a cluster has taken. Pure: a cluster that joined in an earlier run has taken them all at once. */
export function stepsTaken(cluster: ManagedCluster, requests: readonly CertificateSigningRequest[]): number {
  const conditions = cluster.status?.conditions;
  if (isConditionTrue(conditions, ManagedClusterCondition.Available)) return 5;
  if (isConditionTrue(conditions, ManagedClusterCondition.Joined)) return 4;
  const accepted = isConditionTrue(conditions, ManagedClusterCondition.HubAccepted);
  if (accepted && requests.some(({ status }) => status?.certificate)) return 3;
  if (accepted) return 2;
  return requests.length > 0 ? 1 : 0;
}

/** The lines for the steps after `before` up to `now`. */
export const progressLines = (name: string, before: number, now: number): string[] =>
  steps.slice(before, now).map((step) => `${name} ${step}`);
