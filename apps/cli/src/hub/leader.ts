import { LeaderElectionComponent, LeaseName, NamespaceName } from '@flotilla/api-types';
import { type Clock, type KubeClient, leases } from '@flotilla/kube';
import type { Look } from '../waiting.ts';

const component = LeaderElectionComponent.RegistrationController;
const key = `${NamespaceName.Hub}/${LeaseName.LeaderElection.of({ component })}`;

/** Who leads the controllers of a hub. The lease of one that was killed counts until it has run out. */
export async function findLeader(client: KubeClient, clock: Clock): Promise<Look<string>> {
  const { renewTime, leaseDurationSeconds = 0, holderIdentity } = (await client.resource(leases).find(key))?.spec ?? {};
  if (!holderIdentity || renewTime === undefined) return { pending: 'nobody leads them' };
  const ageMs = clock.now() - Date.parse(String(renewTime));
  if (ageMs <= leaseDurationSeconds * 1000) return { found: holderIdentity };
  return { pending: `the last leader was seen ${Math.round(ageMs / 1000)} s ago` };
}
