import { Label, managedClusters, manifestWorks } from '@flotilla/api-types';
import { type Clock, certificateSigningRequests, createInformers, type KubeClient, keyOf } from '@flotilla/kube';
import { merge } from 'rxjs';
import { exampleName } from './example-work.ts';
import { createMilestones } from './milestones.ts';
import { stepsTaken, storyLines } from './story.ts';
import { workStepsTaken, workStoryLines } from './work-story.ts';

/** Follows clusters on their way in, and the example work on its way out. */
export interface Story extends Disposable {
  /** Resolves when the cluster has taken this many steps; rejects if the signal aborts first. */
  reached(cluster: string, step: number, signal: AbortSignal): Promise<void>;
  /** The same for the example work of a cluster. */
  workReached(cluster: string, step: number, signal: AbortSignal): Promise<void>;
}

/** Tells each step of each cluster and of the example work as the hub sees it. */
export function tellStory(client: KubeClient, clock: Clock, tell: (line: string) => void): Story {
  const informers = createInformers({ client, clock });
  const clusters = informers.resource(managedClusters);
  const byCluster = 'cluster';
  const requests = informers.resource(certificateSigningRequests, {
    labelSelector: Label.ClusterName,
    indexes: { [byCluster]: ({ metadata }) => [metadata?.labels?.[Label.ClusterName] ?? ''] },
  });
  const works = informers.resource(manifestWorks, { fieldSelector: `metadata.name=${exampleName}` });
  const milestones = createMilestones();
  const lookAtClusters = () => {
    for (const cluster of clusters.list()) {
      const name = cluster.metadata?.name ?? '';
      const now = stepsTaken(cluster, requests.byIndex(byCluster, name));
      for (const line of storyLines(name, milestones.note(name, now), now)) tell(line);
    }
  };
  const lookAtWorks = () => {
    for (const work of works.list()) {
      const now = workStepsTaken(work);
      for (const line of workStoryLines(work, milestones.note(keyOf(work), now), now)) tell(line);
    }
  };
  const subscriptions = [
    merge(clusters.changes, requests.changes).subscribe(lookAtClusters),
    works.changes.subscribe(lookAtWorks),
  ];
  return {
    reached: milestones.reached,
    workReached: (cluster, step, signal) => milestones.reached(`${cluster}/${exampleName}`, step, signal),
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription.unsubscribe();
      informers.close();
    },
  };
}
