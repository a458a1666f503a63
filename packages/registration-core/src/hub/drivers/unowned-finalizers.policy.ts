import type { ManagedCluster } from '@flotilla/api-types';

/** The finalizer that keeps a cluster until its driver has removed what it made. */
export const externalPermissionsFinalizer = (authType: string): string =>
  `open-cluster-management.io/${authType}-permissions`;

const pattern = /^open-cluster-management\.io\/(.+)-permissions$/;

/** The auth types that hold a cluster by their finalizer, and whose driver does not run on this hub. */
export const unownedAuthTypes = ({ metadata }: ManagedCluster, running: ReadonlySet<string>): string[] =>
  (metadata?.finalizers ?? []).flatMap((finalizer) => {
    const authType = pattern.exec(finalizer)?.[1];
    return authType !== undefined && !running.has(authType) ? [authType] : [];
  });
