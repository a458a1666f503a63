import type { KubeObject } from '@flotilla/schema';
import type { Removal } from '../remove/removal.ts';
import { removeObjects } from '../remove/remove-objects.ts';
import { bootstrapObjects } from './bootstrap.ts';
import { clusterManager } from './cluster-manager.ts';
import { hubDefinitions } from './definitions.ts';
import { admissionPolicies } from './guards.ts';
import { grpcAccess, hubAccess, hubNamespaces } from './hub-manifests.ts';
import { removeResidualObjects } from './residual-objects.ts';
import { webhookReferences } from './webhook-configurations.ts';

/** Removes the webhook configurations, before anything else: while no server answers them, no cluster could be changed. */
export const removeWebhooks = (removal: Removal): Promise<void> => removeObjects(removal, [webhookReferences()]);

/** Removes a hub that has no clusters. `also` are further objects of the owner, such as its bootstrap token. */
export async function removeHub(removal: Removal, also: readonly KubeObject[] = []): Promise<void> {
  // By name: which drivers the hub had does not matter.
  const record = clusterManager({ registrationDrivers: [] });
  const access = [...hubAccess([]), ...grpcAccess()];
  await removeObjects(removal, [[record], also, bootstrapObjects([]), access, hubNamespaces()]);
  await removeResidualObjects(removal);
  // Last, since the definitions are what makes it a hub: an interrupted removal can be repeated. What the policies guard is guarded until then.
  await removeObjects(removal, [admissionPolicies(), await hubDefinitions()]);
}
