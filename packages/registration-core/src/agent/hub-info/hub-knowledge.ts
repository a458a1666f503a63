import type { Logger } from '@flotilla/kube';
import type { StoredChanges } from '../credentials/credential-store.ts';
import type { HubEndpoint } from '../credentials/hub-kubeconfig.ts';
import { announcedServerKey } from './announced.ts';
import { isSameTrust } from './ca-bundle.ts';
import type { PublishedHub } from './published-hub.ts';

/** What keeps and uses what is learned. */
export interface HubKnowledgeOptions {
  /** As it was when the connection began. */
  readonly endpoint: HubEndpoint;
  readonly announced: string | undefined;
  /** Uses another CA bundle from now on. */
  readonly trust: (caData: string) => void;
  readonly save: (changes: StoredChanges) => Promise<void>;
  /** What is stored of an endpoint: the kubeconfig for it. */
  readonly describe: (endpoint: HubEndpoint) => StoredChanges;
  readonly log: Logger;
}

/** What an agent knows about its hub while one connection lasts. */
export interface HubKnowledge {
  /** With the CA that is trusted now. */
  endpoint(): HubEndpoint;
  /** Another address, if the hub has one. */
  announced(): string | undefined;
  /** Takes up what the hub says, and the CA bundle that follows from it; writes only what is new. */
  learn(published: PublishedHub, caData: string | undefined): Promise<void>;
}

/** Begins with what was known before. */
export function hubKnowledge(options: HubKnowledgeOptions): HubKnowledge {
  const { trust, save, describe, log } = options;
  let { endpoint, announced } = options;
  return {
    endpoint: () => endpoint,
    announced: () => announced,
    async learn({ server }, caData) {
      const other = server === endpoint.server ? undefined : server;
      if (other !== announced) {
        await save({ [announcedServerKey]: other });
        announced = other;
        log.info('the hub announced another address', { server: other ?? 'none' });
      }
      if (caData === undefined || isSameTrust(endpoint.caData, caData)) return;
      endpoint = { ...endpoint, caData };
      trust(caData);
      await save(describe(endpoint));
      log.info('trusts another CA bundle for the hub');
    },
  };
}
