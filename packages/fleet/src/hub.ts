import { GroupName, NamespaceName, ServiceAccountName, UserName } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { csrDriver } from '@flotilla/driver-csr';
import { runHub } from '@flotilla/hub-runtime';
import { applyObjects, hubDefinitions, hubObjects, type Owner } from '@flotilla/install';
import type { Clock, Logger } from '@flotilla/kube';

/** As whom the objects of a fleet are written. */
export const fleetOwner: Owner = {
  labels: { 'app.kubernetes.io/managed-by': 'flotilla-fleet' },
  fieldManager: 'flotilla-fleet',
};

/** Of agents that have no identity of their own yet. It is good for this hub only, which ends with its test. */
export const bootstrapToken = 'bootstrap-token-of-a-fleet';

const namespace = NamespaceName.Operator;
const bootstrapUser = {
  name: UserName.ServiceAccount.of({ namespace, name: ServiceAccountName.AgentRegistrationBootstrap }),
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, GroupName.Authenticated],
};

/** A hub that runs. */
export interface FleetHub extends AsyncDisposable {
  readonly plane: ControlPlane;
}

/** Runs a hub that accepts every cluster of its fleet. */
export async function startHub({ clock, log }: { readonly clock: Clock; readonly log: Logger }): Promise<FleetHub> {
  await using cleanup = new AsyncDisposableStack();
  const plane = cleanup.use(
    await startControlPlane({
      crds: await hubDefinitions(),
      staticTokens: { [bootstrapToken]: bootstrapUser },
      clock,
      log,
    }),
  );
  const drivers = [csrDriver];
  await applyObjects(plane.client, hubObjects({ drivers }), { owner: fleetOwner, clock });
  const end = new AbortController();
  const running = runHub({
    client: plane.client,
    drivers,
    driverOptions: { autoApprovedCsrUsers: [bootstrapUser.name], clusterAutoApprovalUsers: [] },
    gates: { ManagedClusterAutoApproval: true, ManifestWorkReplicaSet: true },
    signal: end.signal,
    clock,
    log,
  });
  running.catch((error: unknown) => log.error('the controllers of the hub ended', { err: error }));
  cleanup.defer(async () => {
    end.abort();
    await running.catch(() => {});
  });
  const started = cleanup.move();
  return { plane, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
