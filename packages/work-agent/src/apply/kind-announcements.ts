import type { Informer, Informers } from '@flotilla/kube';
import { apiServices, customResourceDefinitions } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { Subscription } from 'rxjs';

/** The watches by which a cluster announces new kinds. They are open only while they are needed. */
export interface KindAnnouncements {
  /** Whether a new kind would be announced. */
  isWorking(): boolean;
  /** Opens the watches, if they are not open. */
  open(): Promise<void>;
  close(): void;
}

/** What the watches need. */
export interface KindAnnouncementsOptions {
  readonly informers: Informers;
  /** Whether the cluster has an aggregation layer; a control plane without it announces by definitions only. */
  readonly hasApiServices: () => Promise<boolean>;
  /** False if the watches are not needed any more by the time they would be opened. */
  readonly isNeeded: () => boolean;
  /** A CustomResourceDefinition was created or changed. */
  readonly onDefinition: (name: string) => void;
  /** An APIService was created or changed. */
  readonly onApiService: () => void;
}

/** Only the fact of a change matters. */
const keepVersionOnly = ({ metadata }: KubeObject): KubeObject => ({
  metadata: { name: metadata?.name, resourceVersion: metadata?.resourceVersion },
});

/** Creates the watches; they are closed at first. */
export function createKindAnnouncements(options: KindAnnouncementsOptions): KindAnnouncements {
  const { informers, hasApiServices, isNeeded, onDefinition, onApiService } = options;
  let watches: { readonly informer: Informer<KubeObject>; readonly subscription: Subscription }[] = [];
  return {
    isWorking: () => watches.length > 0 && watches.every(({ informer }) => !informer.lastError),
    async open() {
      if (watches.length > 0) return;
      const definitions = informers.metadata(customResourceDefinitions, { transform: keepVersionOnly });
      const subscription = definitions.changes.subscribe(({ key, type }) => {
        if (type !== 'deleted') onDefinition(key);
      });
      watches = [{ informer: definitions, subscription }];
      if (!(await hasApiServices()) || !isNeeded()) return;
      const services = informers.metadata(apiServices, { transform: keepVersionOnly });
      const serviceSubscription = services.changes.subscribe(({ type, initial }) => {
        if (type !== 'deleted' && !initial) onApiService();
      });
      watches.push({ informer: services, subscription: serviceSubscription });
    },
    close() {
      for (const { informer, subscription } of watches) {
        subscription.unsubscribe();
        informer.close();
      }
      watches = [];
    },
  };
}
