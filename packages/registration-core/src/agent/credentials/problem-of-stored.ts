import type { AgentDriver, StoredCredentials } from '../../contract/index.ts';
import { announcedEndpoint } from '../hub-info/announced.ts';
import { compareEndpoints, endpointDifference, type HubEndpoint } from './hub-kubeconfig.ts';

/** Why an agent has to ask for credentials. */
export interface CredentialProblem {
  readonly reason: 'BootstrapChanged' | 'Expired' | 'NoCredentials';
  readonly message: string;
}

/** What is wrong with what is stored; undefined if the hub can be reached with it. */
export function problemOfStored(
  driver: AgentDriver,
  stored: StoredCredentials | undefined,
  endpoint: HubEndpoint,
): CredentialProblem | undefined {
  if (driver.kubeconfigUser()) {
    if (!stored?.kubeconfig) return { reason: 'NoCredentials', message: 'there is no kubeconfig for the hub yet' };
    const difference = endpointDifference(stored.kubeconfig, endpoint);
    const announced = announcedEndpoint(stored);
    const isAnnounced = announced !== undefined && compareEndpoints(announced, endpoint) === undefined;
    if (difference !== undefined && !isAnnounced) return { reason: 'BootstrapChanged', message: difference };
  }
  const verdict = driver.judge(stored ?? {});
  if (verdict.usable) return undefined;
  return { reason: stored ? 'Expired' : 'NoCredentials', message: verdict.message };
}
