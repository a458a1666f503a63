import { clusterProfiles } from '@flotilla/api-types';
import type { Controller } from '@flotilla/kube';
import { acceptanceController } from './acceptance/acceptance.controller.ts';
import { addOnFeaturesController } from './addons/addon-features.controller.ts';
import { addOnHealthController } from './addons/addon-health.controller.ts';
import { cleanupController } from './cleanup/cleanup.controller.ts';
import { clusterOfProfile } from './cluster-profile/profile.policy.ts';
import { profileLifecycleController } from './cluster-profile/profile-lifecycle.controller.ts';
import { byClusterName, profileStatusController } from './cluster-profile/profile-status.controller.ts';
import { clusterRolesController } from './cluster-roles/cluster-roles.controller.ts';
import { byNamespace, type HubDeps, type HubInput, hubDeps } from './deps.ts';
import { externalPermissionsControllers } from './drivers/external-permissions.controller.ts';
import { closeDrivers } from './drivers/start-drivers.ts';
import { unownedFinalizersController } from './drivers/unowned-finalizers.controller.ts';
import { resolveGates } from './gates.ts';
import { identityController } from './identity/identity.controller.ts';
import { joinTokensController } from './join-tokens/join-tokens.controller.ts';
import { clockSyncController } from './lease/clock-sync.controller.ts';
import { Heartbeats } from './lease/heartbeats.ts';
import { leaseController } from './lease/lease.controller.ts';
import { managedNamespacesController } from './managed-namespaces/managed-namespaces.controller.ts';
import { defaultHubOptions } from './options.ts';
import { excessRequestsController } from './requests/excess-requests.controller.ts';
import { bindingController } from './sets/binding.controller.ts';
import { builtInSetController, defaultSet, globalSet } from './sets/built-in-set.controller.ts';
import { clusterSetController } from './sets/cluster-set.controller.ts';
import { taintController } from './taint/taint.controller.ts';

/** The hub's side of registration: give its controllers to `runControllers`. */
export interface Hub {
  /** The core's and the drivers'. */
  readonly controllers: readonly Controller[];
  /** Sends the last Events and closes the drivers; call it when the controllers have ended. */
  close(): Promise<void>;
}

function profileControllers(deps: HubDeps): readonly Controller[] {
  const profiles = deps.informers.resource(clusterProfiles, {
    indexes: {
      [byNamespace]: ({ metadata }) => (metadata?.namespace ? [metadata.namespace] : []),
      [byClusterName]: (profile) => [clusterOfProfile(profile)],
    },
  });
  return [profileLifecycleController(deps, profiles), profileStatusController(deps, profiles)];
}

/** Makes the hub's registration controllers. Gates and options have OCM's names and defaults; an unknown gate is refused. */
export function createHub(input: HubInput): Hub {
  const gates = resolveGates(input.gates);
  const deps = hubDeps(input, gates, { ...defaultHubOptions, ...input.options });
  const heartbeats = new Heartbeats(deps.clock);
  const controllers = [
    acceptanceController(deps),
    identityController(deps),
    joinTokensController(deps),
    excessRequestsController(deps),
    leaseController(deps, heartbeats),
    clockSyncController(deps, heartbeats),
    taintController(deps),
    clusterSetController(deps),
    bindingController(deps),
    managedNamespacesController(deps),
    clusterRolesController(deps),
    addOnHealthController(deps),
    addOnFeaturesController(deps),
    // With its gate off too: it then frees clusters that wait for it from before.
    cleanupController(deps),
    ...(gates.DefaultClusterSet ? [builtInSetController(deps, defaultSet), builtInSetController(deps, globalSet)] : []),
    ...(gates.ClusterProfile ? profileControllers(deps) : []),
    ...externalPermissionsControllers(deps),
    unownedFinalizersController(deps),
    ...deps.drivers.flatMap((driver) => driver.controllers),
  ];
  return {
    controllers,
    async close() {
      await deps.recorder.close();
      await closeDrivers(deps.drivers);
    },
  };
}
