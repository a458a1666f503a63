import { KubeError } from '@flotilla/kube';
import type { BootstrapSource, CredentialIssuer, HubEndpoint, StoredCredentials } from '../../contract/index.ts';
import { trustsAll } from './ca-bundle.ts';
import { announcedEndpoint, storedEndpoint } from './stored-endpoint.ts';

type Reader = Pick<CredentialIssuer, 'endpointOf'>;

/** Where the hub is: what the bootstrap source says, or what is stored if that cannot be read any more. */
export async function locateHub(
  driver: Reader,
  bootstrap: BootstrapSource,
  stored: StoredCredentials | undefined,
): Promise<HubEndpoint> {
  try {
    return withStoredTrust(driver, (await bootstrap.current()).endpoint, stored);
  } catch (error) {
    const known = stored && driver.endpointOf(stored);
    if (!known) throw KubeError.from(error, 'cannot read the bootstrap access to the hub');
    return known;
  }
}

/** What the hub announced, and the agent stored, is trusted after a restart too. */
function withStoredTrust(driver: Reader, endpoint: HubEndpoint, stored: StoredCredentials | undefined): HubEndpoint {
  const candidates = [storedEndpoint(driver, stored), announcedEndpoint(driver, stored)];
  const known = candidates.find((one) => one?.server === endpoint.server);
  if (known?.caData === undefined || endpoint.caData === undefined) return endpoint;
  return trustsAll(known.caData, endpoint.caData) ? { ...endpoint, caData: known.caData } : endpoint;
}
