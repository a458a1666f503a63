import { Finalizer, Label } from '@flotilla/api-types';
import { addFinalizer, after, type Controller, defineController, done, isDeleting, on } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { writeReport } from '../apply/index.ts';
import type { HubContext } from './hub-context.ts';
import { keepClusterManager } from './keep-cluster-manager.ts';
import { removeClusterManager } from './remove-cluster-manager.ts';
import { hubNamespace } from './spec.policy.ts';

const day = 86_400_000;

/** Keeps hubs as their ClusterManagers describe them. */
export function clusterManagerController(context: HubContext): Controller {
  const { managers, objects, nodes, clusters, hostedChanges, settings, clock } = context;
  const { management } = clusters;
  const names = (): string[] => managers.list().map(({ metadata }) => metadata.name ?? '');
  const ofNamespace = ({ metadata }: KubeObject): string[] => {
    if (metadata?.namespace === settings.namespace) return names();
    const there = managers.list().filter((one) => hubNamespace(one) === metadata?.namespace);
    return there.map((one) => one.metadata.name ?? '');
  };
  return defineController({
    name: 'cluster-manager',
    watches: [
      // A second hub of this cluster waits for the first to go.
      on(managers, names),
      on(management.keeper.changes),
      on(management.definitions, ({ metadata }) => metadata.labels?.[Label.CreatedByClusterManager]),
      on(hostedChanges),
      ...objects.all.map((cache) => on<KubeObject>(cache, ofNamespace)),
      // Kubelets update their nodes all the time: only how many there are matters.
      ...nodes.caches.map((cache) => on(cache, names, ({ type }) => type !== 'updated')),
    ],
    reads: [management.keeper],
    async reconcile(name, { signal }) {
      const found = managers.get(name);
      if (!found) {
        await clusters.release(name);
        return done;
      }
      if (isDeleting(found)) return removeClusterManager(context, found, signal);
      const clusterManager = await addFinalizer(managers, found, Finalizer.ClusterManagerCleanup);
      if (!clusterManager) return done;
      const {
        report,
        error,
        renewAt = Number.POSITIVE_INFINITY,
      } = await keepClusterManager(context, clusterManager, signal);
      await writeReport(managers, clusterManager, report, clock);
      if (error) throw error;
      return after(Math.max(1000, Math.min(renewAt - clock.now(), day)), 'certificates are renewed');
    },
  });
}
