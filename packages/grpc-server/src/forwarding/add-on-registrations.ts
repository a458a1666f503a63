import { type AddOnIdentity, type ManagedClusterAddOn, registeredIdentity } from '@flotilla/api-types';
import { type CachedResource, KubeError } from '@flotilla/kube';

/** The add-ons of all clusters, and who they are. */
export interface AddOnRegistrations {
  /** Throws `Forbidden` if the cluster has no such add-on, or if it registered nobody that it may be. */
  identityOf(clusterName: string, addOnName: string): AddOnIdentity;
  /** Calls back with a cluster when one of its add-ons is somebody else now, or nobody. Call the result to end. */
  follow(onChange: (clusterName: string) => void): () => void;
}

/** Reads them from a cache. */
export const addOnRegistrations = (
  addOns: Pick<CachedResource<ManagedClusterAddOn>, 'get' | 'changes'>,
): AddOnRegistrations => ({
  identityOf(clusterName, addOnName) {
    const addOn = addOns.get(`${clusterName}/${addOnName}`);
    const registered = addOn && registeredIdentity(addOn);
    if (registered && 'identity' in registered) return registered.identity;
    const what = `add-on ${addOnName} of cluster ${clusterName}`;
    const why = registered ? `has no identity for the API of the hub: ${registered.refused}` : 'is not registered';
    throw new KubeError('Forbidden', `access denied: ${what} ${why}`, { status: 403 });
  },
  follow(onChange) {
    const subscription = addOns.changes.subscribe((change) => {
      const { object } = change;
      // One that is new has no requests yet.
      if (change.type === 'added') return;
      if (change.type === 'updated' && identityText(object) === identityText(change.previous)) return;
      onChange(object.metadata?.namespace ?? '');
    });
    return () => subscription.unsubscribe();
  },
});

const identityText = (addOn: ManagedClusterAddOn | undefined): string =>
  JSON.stringify(addOn && registeredIdentity(addOn));
