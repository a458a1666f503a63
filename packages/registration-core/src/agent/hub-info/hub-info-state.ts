import type { Logger } from '@flotilla/kube';
import type { HubEndpoint, HubInfo, StoredCredentials } from '../../contract/index.ts';
import type { StoredChanges } from '../credentials/credential-store.ts';
import { isSameTrust } from '../hub-endpoint/ca-bundle.ts';
import { announcedServerKey } from '../state/secret-entries.ts';

/** What uses and stores what a hub publishes. */
export interface HubInfoStateOptions {
  /** As it was when the connection began. */
  readonly endpoint: HubEndpoint;
  readonly announced: string | undefined;
  /** Uses the endpoint with another CA bundle from now on. */
  readonly use: (endpoint: HubEndpoint) => void;
  readonly save: (changes: StoredChanges) => Promise<void>;
  /** The entries that lead to an endpoint. */
  readonly describe: (endpoint: HubEndpoint) => StoredCredentials;
  readonly log: Logger;
}

/** What an agent knows about its hub while one connection lasts. */
export interface HubInfoState {
  /** With the CA that is trusted now. */
  endpoint(): HubEndpoint;
  /** Another address, if the hub has one. */
  announced(): string | undefined;
  /**
   * Uses what the hub publishes, and the CA bundle that follows from it, at once; then stores what changed, and what an earlier call
   * could not store. Rejects if that fails.
   */
  observe(info: HubInfo, caData: string | undefined): Promise<void>;
}

/** Begins with what was known before. */
export function hubInfoState(options: HubInfoStateOptions): HubInfoState {
  const { use, save, describe, log } = options;
  let { endpoint, announced } = options;
  let unsaved: StoredChanges = {};
  let saving = Promise.resolve();
  const saveNewest = async (): Promise<void> => {
    const changes = unsaved;
    if (Object.keys(changes).length === 0) return;
    await save(changes);
    if (unsaved === changes) unsaved = {};
  };
  return {
    endpoint: () => endpoint,
    announced: () => announced,
    async observe({ server }, caData) {
      const other = server === endpoint.server ? undefined : server;
      if (other !== announced) {
        announced = other;
        unsaved = { ...unsaved, [announcedServerKey]: other };
        log.info('the hub announced another address', { server: other ?? 'none' });
      }
      if (caData !== undefined && !isSameTrust(endpoint.caData, caData)) {
        endpoint = { ...endpoint, caData };
        unsaved = { ...unsaved, ...describe(endpoint) };
        use(endpoint);
        log.info('updated the CA bundle of the hub');
      }
      // One after the other, so that the newest is what stays.
      saving = saving.catch(() => undefined).then(saveNewest);
      await saving;
    },
  };
}
