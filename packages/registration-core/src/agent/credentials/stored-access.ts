import { type AccessSource, type ClusterAccess, KubeError } from '@flotilla/kube';
import { NEVER, Subject } from 'rxjs';
import type { AgentDriver, StoredCredentials } from '../../contract/index.ts';
import { announcedEndpoint } from '../hub-info/announced.ts';
import { trustsAll } from '../hub-info/ca-bundle.ts';
import { type HubEndpoint, readEndpoint, storedEndpoint } from './hub-kubeconfig.ts';

/** Access to the hub with stored credentials; `update` hands over renewed ones without a new connection being asked for. */
export interface StoredAccess extends AccessSource {
  update(stored: StoredCredentials): void;
  /** Trusts this CA bundle (base64 of PEM) from now on. */
  trust(caData: string): void;
  /** Reaches the hub at another of its addresses from now on. */
  moveTo(server: string): void;
}

/** Access with what is stored now. */
export function storedAccess(driver: AgentDriver, endpoint: HubEndpoint, initial: StoredCredentials): StoredAccess {
  const changes = new Subject<void>();
  let stored = initial;
  let { caData, server } = endpoint;
  return {
    async current(): Promise<ClusterAccess> {
      const { proxyUrl } = endpoint;
      return {
        server,
        origin: 'the stored hub credentials',
        ...(caData !== undefined && { ca: Buffer.from(caData, 'base64').toString('utf8') }),
        ...(proxyUrl !== undefined && { proxyUrl }),
        ...driver.access(stored),
      };
    },
    update(next) {
      stored = next;
      changes.next();
    },
    trust(next) {
      if (next === caData) return;
      caData = next;
      changes.next();
    },
    moveTo(next) {
      if (next === server) return;
      server = next;
      changes.next();
    },
    changes,
    problems: NEVER,
    invalidate() {},
    close: () => changes.complete(),
  };
}

/** Where the hub is: what the bootstrap kubeconfig says, or what is stored if that cannot be read any more. */
export async function locateHub(
  bootstrap: AccessSource,
  stored: StoredCredentials | undefined,
  toEndpoint: (access: ClusterAccess) => HubEndpoint,
): Promise<HubEndpoint> {
  try {
    return withStoredTrust(toEndpoint(await bootstrap.current()), stored);
  } catch (error) {
    if (!stored?.kubeconfig) throw KubeError.from(error, 'cannot read the bootstrap kubeconfig');
    return readEndpoint(stored.kubeconfig);
  }
}

/** What the hub announced, and the agent stored, is trusted after a restart too. */
function withStoredTrust(endpoint: HubEndpoint, stored: StoredCredentials | undefined): HubEndpoint {
  const known = [storedEndpoint(stored), announcedEndpoint(stored)].find((one) => one?.server === endpoint.server);
  if (known?.caData === undefined || endpoint.caData === undefined) return endpoint;
  return trustsAll(known.caData, endpoint.caData) ? { ...endpoint, caData: known.caData } : endpoint;
}
