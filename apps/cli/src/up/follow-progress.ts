import { Label, LeaseName, managedClusters, manifestWorks } from '@flotilla/api-types';
import { type Clock, createInformers, type KubeClient, keyOf } from '@flotilla/kube';
import { certificateSigningRequests, leases } from '@flotilla/kube/kinds';
import { merge } from 'rxjs';
import { exampleName } from './example-work.ts';
import { lastStep, progressLines, stepsTaken } from './join-progress.ts';
import { createReachedSteps, type ReachedSteps } from './reached-steps.ts';
import { workProgressLines, workStepsTaken } from './work-progress.ts';

/** How far the clusters of a fleet and the example work have come. */
export interface FleetProgress extends Disposable {
  /** Resolves when the cluster has taken this many steps; rejects if the signal aborts first. */
  reached(cluster: string, step: number, signal: AbortSignal): Promise<void>;
  /** The same for the example work of a cluster. */
  workReached(cluster: string, step: number, signal: AbortSignal): Promise<void>;
}

/**
 * Reports each step of each cluster and of the example work as the hub observes it. What happened in an earlier run is not news: of
 * a cluster that had joined then, it is only reported that its agent is back. To be called before agents run.
 */
export async function followProgress(
  client: KubeClient,
  clock: Clock,
  report: (line: string) => void,
): Promise<FleetProgress> {
  const informers = createInformers({ client, clock });
  const clusters = informers.resource(managedClusters);
  const byCluster = 'cluster';
  const requests = informers.resource(certificateSigningRequests, {
    labelSelector: Label.ClusterName,
    indexes: { [byCluster]: ({ metadata }) => [metadata?.labels?.[Label.ClusterName] ?? ''] },
  });
  const works = informers.resource(manifestWorks, { fieldSelector: `metadata.name=${exampleName}` });
  const steps = createReachedSteps();
  const earlierHeartbeats = await recordEarlier(client, steps);
  const heartbeats = informers.resource(leases, { fieldSelector: `metadata.name=${LeaseName.ManagedCluster}` });
  const reportClusters = () => {
    for (const cluster of clusters.list()) {
      const name = cluster.metadata?.name ?? '';
      const now = stepsTaken(cluster, requests.byIndex(byCluster, name));
      const earlier = earlierHeartbeats.get(name);
      if (earlier !== undefined) {
        const heartbeat = heartbeats.get(`${name}/${LeaseName.ManagedCluster}`)?.spec?.renewTime;
        if (now < lastStep || heartbeat === undefined || heartbeat === earlier) continue;
        if (steps.record(name, now) < now) report(`${name} is back: its agent reports`);
        continue;
      }
      for (const line of progressLines(name, steps.record(name, now), now)) report(line);
    }
  };
  const reportWorks = () => {
    for (const work of works.list()) {
      const now = workStepsTaken(work);
      for (const line of workProgressLines(work, steps.record(keyOf(work), now), now)) report(line);
    }
  };
  const subscriptions = [
    merge(clusters.changes, requests.changes, heartbeats.changes).subscribe(reportClusters),
    works.changes.subscribe(reportWorks),
  ];
  return {
    reached: steps.reached,
    workReached: (cluster, step, signal) => steps.reached(`${cluster}/${exampleName}`, step, signal),
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription.unsubscribe();
      informers.close();
    },
  };
}

/** Records how far an earlier run came. Returns the last heartbeat of each cluster that had joined. */
async function recordEarlier(client: KubeClient, steps: ReachedSteps): Promise<Map<string, string>> {
  const fieldSelector = `metadata.name=${LeaseName.ManagedCluster}`;
  const { items: found } = await client.resource(leases).list({ fieldSelector });
  const heartbeats = new Map(found.map(({ metadata, spec }) => [metadata?.namespace ?? '', spec?.renewTime ?? '']));
  const { items: requests } = await client
    .resource(certificateSigningRequests)
    .list({ labelSelector: Label.ClusterName });
  const earlier = new Map<string, string>();
  for (const cluster of (await client.resource(managedClusters).list()).items) {
    const name = cluster.metadata?.name ?? '';
    const own = requests.filter(({ metadata }) => metadata?.labels?.[Label.ClusterName] === name);
    const taken = stepsTaken(cluster, own);
    const heartbeat = heartbeats.get(name);
    if (taken === lastStep && heartbeat !== undefined) earlier.set(name, heartbeat);
    else steps.record(name, taken);
  }
  const works = await client.resource(manifestWorks).list({ fieldSelector: `metadata.name=${exampleName}` });
  for (const work of works.items) steps.record(keyOf(work), workStepsTaken(work));
  return earlier;
}
