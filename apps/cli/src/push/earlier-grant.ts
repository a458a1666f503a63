import { type ClusterClaim, hubHashOf } from '@flotilla/api-types';
import { isOwnedBy, type MemberGrant, memberObjectsOf, readMemberGrant } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import type { MemberRecord } from '@flotilla/registration-core/push';
import type { KubeObject } from '@flotilla/schema';
import { cliOwner } from '../cluster/owner.ts';

/** The objects of a hub on a member before a join. */
export interface EarlierGrant {
  /** The grant that a join without flags keeps; undefined if there is none. */
  readonly grant: MemberGrant | undefined;
  /** Roles and bindings under the address that the hub has now. */
  readonly granted: readonly KubeObject[];
  /** All objects under earlier addresses of the hub. */
  readonly former: readonly KubeObject[];
  /** The claims among them, by name. */
  readonly claims: Readonly<Record<string, string>>;
}

/**
 * Reads the grant of the hub on a member. Names and labels of its objects contain the hash of the address of the hub, so a hub with a new
 * address has none under it. The stored token has the grant of the stored address.
 */
export async function readEarlierGrant(
  client: KubeClient,
  { clusterName, hubServer }: { readonly clusterName: string; readonly hubServer: string },
  record: MemberRecord | undefined,
): Promise<EarlierGrant> {
  const present = await readMemberGrant(client, { clusterName, hubServer });
  const stored = record && (await readMemberGrant(client, { clusterName, hubServer: record.hubServer }));
  const addresses = new Set(record && [record.hubServer, ...record.formerHubServers]);
  addresses.delete(hubServer);
  const found = await Promise.all(
    [...addresses].map((server) => memberObjectsOf(client, { clusterName, hubHash: hubHashOf(server) })),
  );
  const former = found.flat().filter((object) => isOwnedBy(cliOwner, object));
  const claims = former.filter(({ kind }) => kind === 'ClusterClaim') as ClusterClaim[];
  return {
    grant: stored ?? present,
    granted: present?.objects ?? [],
    former,
    claims: Object.fromEntries(claims.map(({ metadata, spec }) => [metadata?.name ?? '', spec?.value ?? ''])),
  };
}
