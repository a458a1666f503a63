import type { StoredCredentials } from '../../contract/index.ts';
import { type HubEndpoint, storedEndpoint } from '../credentials/hub-kubeconfig.ts';

/** Entry of the agent's secret: another address at which the hub says that it can be reached. */
export const announcedServerKey = 'announced-server';

/** The hub of stored credentials at the address that it announced; undefined if it announced none. */
export function announcedEndpoint(stored: StoredCredentials | undefined): HubEndpoint | undefined {
  const server = stored?.[announcedServerKey];
  const endpoint = server ? storedEndpoint(stored) : undefined;
  return endpoint && server ? { ...endpoint, server } : undefined;
}
