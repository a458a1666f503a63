import { runAgent } from '@flotilla/agent-runtime';
import { NamespaceName } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { agentDefinitions, agentObjects, applyObjects } from '@flotilla/install';
import { type Clock, type ClusterAccess, type Logger, staticAccess } from '@flotilla/kube';
import { accessFiles } from '@flotilla/registration-core/agent';
import type { FleetDriver } from './fleet-driver.ts';
import { fleetOwner } from './hub.ts';

/** What a managed cluster is started with. */
interface ManagedClusterInput {
  readonly name: string;
  /** The hub, as a cluster without an identity reaches it. */
  readonly hub: ClusterAccess;
  readonly driver: FleetDriver;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A managed cluster that runs, with its agent. */
export interface ManagedClusterProcess extends AsyncDisposable {
  readonly plane: ControlPlane;
}

/** Starts a managed cluster and its agent. Nodes and workloads are simulated; the API server is not. */
export async function startManagedCluster({
  name,
  hub,
  driver,
  clock,
  log,
}: ManagedClusterInput): Promise<ManagedClusterProcess> {
  await using cleanup = new AsyncDisposableStack();
  const crds = await agentDefinitions();
  const plane = cleanup.use(await startControlPlane({ crds, simulator: true, listen: false, clock, log }));
  const objects = agentObjects({ clusterName: name, mode: 'Singleton', hub });
  await applyObjects(plane.client, objects, { owner: fleetOwner, clock });
  const end = new AbortController();
  const running = runAgent({
    management: plane.client,
    spoke: plane.client,
    driver: driver.agent({ bootstrapKubeconfig: 'kubeconfig', bootstrapKubeconfigs: [] }),
    bootstrapFiles: accessFiles(staticAccess(hub)),
    options: { clusterName: name, namespace: NamespaceName.Agent },
    clock,
    log: log.child({ cluster: name }),
    signal: end.signal,
  });
  running.catch((error: unknown) => log.error('an agent ended', { cluster: name, err: error }));
  cleanup.defer(async () => {
    end.abort();
    await running.catch(() => {});
  });
  const started = cleanup.move();
  return { plane, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
