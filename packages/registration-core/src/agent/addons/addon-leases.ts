import type { ManagedClusterAddOn } from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  createInformers,
  type Informers,
  type KubeClient,
  splitKey,
} from '@flotilla/kube';
import { type Lease, leases } from '@flotilla/kube/kinds';
import { Observable } from 'rxjs';
import { installNamespaceOf, isHosted } from './registration.policy.ts';

/** Whose leases are followed, and where they are. */
export interface AddonLeasesOptions {
  readonly addons: CachedResource<ManagedClusterAddOn>;
  readonly management: KubeClient;
  readonly spoke: KubeClient;
  readonly clock: Clock;
}

/** The leases that agents of add-ons renew. */
export interface AddonLeases {
  /** Keys of add-ons whose lease was read first, renewed, or deleted. Leases are followed while this is subscribed to. */
  readonly changes: Observable<string>;
  /** The watch of the lease of an add-on; undefined if none of it is followed. */
  of(key: string): Pick<CachedResource<Lease>, 'get' | 'synced' | 'lastError'> | undefined;
}

interface Followed {
  readonly place: string;
  readonly cache: CachedResource<Lease>;
}

/** `namespace/name` of the lease of an add-on. */
export const leaseKeyOf = (addon: ManagedClusterAddOn): string =>
  `${installNamespaceOf(addon)}/${addon.metadata?.name ?? ''}`;

/** Another component reports the health of such an add-on. */
export const hasLease = ({ status }: ManagedClusterAddOn): boolean => status?.healthCheck?.mode !== 'Customized';

/**
 * Follows the lease of each add-on by a watch of its own, by name: the namespace of add-ons may have leases of leader elections, which
 * change every two seconds.
 */
export function addonLeases({ addons, management, spoke, clock }: AddonLeasesOptions): AddonLeases {
  const followed = new Map<string, Followed>();
  const changes = new Observable<string>((subscriber) => {
    const own = new Map<KubeClient, Informers>();
    const informersOf = (client: KubeClient): Informers => {
      const informers = own.get(client) ?? createInformers({ client, clock });
      own.set(client, informers);
      return informers;
    };
    const unfollow = (key: string): void => {
      followed.get(key)?.cache.close();
      followed.delete(key);
    };
    const follow = (key: string, addon: ManagedClusterAddOn): void => {
      const place = `${isHosted(addon)} ${leaseKeyOf(addon)}`;
      if (followed.get(key)?.place === place) return;
      unfollow(key);
      const { namespace, name } = splitKey(leaseKeyOf(addon));
      const selection = { namespace, fieldSelector: `metadata.name=${name}` };
      const cache = informersOf(isHosted(addon) ? management : spoke).resource(leases, selection);
      followed.set(key, { place, cache });
      cache.changes.subscribe(() => subscriber.next(key));
      // A lease that is not there changes nothing. It rejects only when the watch is closed.
      cache.whenSynced().then(
        () => subscriber.next(key),
        () => {},
      );
    };
    const subscription = addons.changes.subscribe(({ type, key, object }) => {
      if (type !== 'deleted' && hasLease(object)) follow(key, object);
      else unfollow(key);
    });
    return () => {
      subscription.unsubscribe();
      for (const informers of own.values()) informers.close();
      followed.clear();
    };
  });
  return { changes, of: (key) => followed.get(key)?.cache };
}
