import type { CredentialIssuer, HubEndpoint, StoredCredentials } from '../../contract/index.ts';
import { announcedServerKey } from '../state/secret-entries.ts';

type Reader = Pick<CredentialIssuer, 'endpointOf'>;

/** The hub of stored credentials; undefined if they name none that can be read. */
export function storedEndpoint(driver: Reader, stored: StoredCredentials | undefined): HubEndpoint | undefined {
  try {
    return stored && driver.endpointOf(stored);
  } catch {
    return undefined;
  }
}

/** The hub of stored credentials at the address that it announced; undefined if it announced none. */
export function announcedEndpoint(driver: Reader, stored: StoredCredentials | undefined): HubEndpoint | undefined {
  const server = stored?.[announcedServerKey];
  const endpoint = server ? storedEndpoint(driver, stored) : undefined;
  return endpoint && server ? { ...endpoint, server } : undefined;
}

/** Whether stored credentials are for the hub at an endpoint. What another hub announced must not be used for this one. */
export const isStoredFor = (
  driver: Reader,
  stored: StoredCredentials | undefined,
  { server }: Pick<HubEndpoint, 'server'>,
): boolean => storedEndpoint(driver, stored)?.server === server;
