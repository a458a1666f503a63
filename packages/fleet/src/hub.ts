import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { runHub } from '@flotilla/hub-runtime';
import { applyObjects, hubDefinitions, hubObjects, type Owner } from '@flotilla/install';
import type { Clock, Logger } from '@flotilla/kube';
import { bootstrapUser, type FleetDriver } from './fleet-driver.ts';

/** As whom the objects of a fleet are written. */
export const fleetOwner: Owner = {
  labels: { 'app.kubernetes.io/managed-by': 'flotilla-fleet' },
  fieldManager: 'flotilla-fleet',
};

/** Of agents that have no identity of their own yet. It is good for this hub only, which ends with its test. */
export const bootstrapToken = 'bootstrap-token-of-a-fleet';

/** How a hub is started. */
interface HubInput {
  readonly driver: FleetDriver;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A hub that runs. */
export interface FleetHub extends AsyncDisposable {
  readonly plane: ControlPlane;
}

/** Runs a hub that accepts every cluster of its fleet. */
export async function startHub({ driver, clock, log }: HubInput): Promise<FleetHub> {
  const { hub, hubOptions = {}, authenticateToken } = driver;
  await using cleanup = new AsyncDisposableStack();
  const plane = cleanup.use(
    await startControlPlane({
      crds: await hubDefinitions(),
      staticTokens: { [bootstrapToken]: bootstrapUser },
      ...(authenticateToken && { authenticateToken }),
      clock,
      log,
    }),
  );
  const drivers = [hub];
  await applyObjects(plane.client, hubObjects({ drivers }), { owner: fleetOwner, clock });
  const end = new AbortController();
  const running = runHub({
    client: plane.client,
    drivers,
    driverOptions: hubOptions,
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
