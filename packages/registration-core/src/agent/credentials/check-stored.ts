import { KubeError } from '@flotilla/kube';
import type { CredentialIssuer, HubEndpoint, StoredCredentials } from '../../contract/index.ts';
import { compareEndpoints } from '../hub-endpoint/compare-endpoints.ts';
import { announcedEndpoint } from '../hub-endpoint/stored-endpoint.ts';
import { authTypeKey } from '../state/secret-entries.ts';

/** Why an agent has to ask for credentials. */
export interface UnusableCredentials {
  readonly reason: 'BootstrapChanged' | 'Expired' | 'NoCredentials';
  readonly message: string;
}

/** The driver by which stored credentials are read. */
export interface StoredReader {
  readonly driver: Pick<CredentialIssuer, 'evaluate' | 'endpointOf'>;
  readonly authType: string;
}

/** What is wrong with what is stored; undefined if the hub can be reached with it. */
export function checkStored(
  { driver, authType }: StoredReader,
  stored: StoredCredentials | undefined,
  endpoint: HubEndpoint,
): UnusableCredentials | undefined {
  if (!stored) return { reason: 'NoCredentials', message: 'there are no credentials for the hub yet' };
  // OCM's agents, and earlier ones of ours, do not record it.
  const storedType = stored[authTypeKey] ?? authType;
  if (storedType !== authType) {
    return { reason: 'NoCredentials', message: `the stored credentials are of auth type ${storedType}` };
  }
  let known: HubEndpoint | undefined;
  try {
    known = driver.endpointOf(stored);
  } catch (error) {
    return { reason: 'BootstrapChanged', message: KubeError.from(error).message };
  }
  if (!known) return { reason: 'NoCredentials', message: 'the stored credentials name no hub yet' };
  const difference = compareEndpoints(known, endpoint);
  const announced = announcedEndpoint(driver, stored);
  const isAnnounced = announced !== undefined && compareEndpoints(announced, endpoint) === undefined;
  if (difference !== undefined && !isAnnounced) return { reason: 'BootstrapChanged', message: difference };
  const state = driver.evaluate(stored);
  return state.usable ? undefined : { reason: 'Expired', message: state.message };
}
