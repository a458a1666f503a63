import type { Informers, KubeClient } from '@flotilla/kube';

/** The hub as everything of one connection shares it. */
export interface HubConnection {
  readonly hub: KubeClient;
  readonly hubInformers: Informers;
}
