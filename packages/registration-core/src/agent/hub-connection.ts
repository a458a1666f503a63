import type { Informers, KubeClient } from '@flotilla/kube';
import type { HubEndpoint } from './credentials/hub-kubeconfig.ts';

/** The hub as everything of one connection shares it. */
export interface HubConnection {
  readonly hub: KubeClient;
  readonly hubInformers: Informers;
  /** Where it is, with the CA that is trusted now. */
  readonly endpoint: () => HubEndpoint;
}
