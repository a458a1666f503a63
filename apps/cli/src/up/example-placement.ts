import {
  Label,
  managedClusterSetBindings,
  managedClusters,
  manifestWorkReplicaSets,
  manifestWorks,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { type Clock, createInformers, isConditionTrue, type KubeClient } from '@flotilla/kube';
import { when } from '../cluster/when.ts';
import { exampleTemplate } from './example-work.ts';

/** The name of the placement and of the replica set of the quickstart. */
export const placementName = 'web';
const namespace = 'default';
const label = { tier: 'web' };

/** What the quickstart shows with. */
export interface ShowPlacementInput {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Those that are joined. */
  readonly clusters: readonly string[];
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Lets a placement select a cluster by its label and a replica set follow it, then labels another cluster. */
export async function showPlacement({ client, clock, clusters, report, signal }: ShowPlacementInput): Promise<void> {
  using informers = createInformers({ client, clock });
  const decisions = informers.resource(placementDecisions, { namespace });
  const works = informers.resource(manifestWorks, { labelSelector: Label.ManifestWorkReplicaSet });
  const metadata = { namespace, name: placementName };
  await client.resource(managedClusterSetBindings).create({
    metadata: { namespace, name: 'global' },
    spec: { clusterSet: 'global' },
  });
  await client.resource(placements).create({
    metadata,
    spec: { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: label } } }] },
  });
  await client.resource(manifestWorkReplicaSets).create({
    metadata,
    spec: {
      manifestWorkTemplate: exampleTemplate(placementName),
      placementRefs: [{ name: placementName }],
      cascadeDeletionPolicy: 'Background',
    },
  });
  for (const cluster of clusters.slice(0, 2)) {
    signal.throwIfAborted();
    await client.resource(managedClusters).patch(cluster, { type: 'merge', body: { metadata: { labels: label } } });
    report(`${cluster} is labelled tier=web`);
    const isSelected = await when(
      decisions,
      ({ status }) => status?.decisions?.some(({ clusterName }) => clusterName === cluster) ?? false,
      signal,
    );
    const selected = isSelected.status?.decisions?.map(({ clusterName }) => clusterName) ?? [];
    report(`placement ${placementName} selects ${selected.join(', ')}`);
    await when(
      works,
      (work) => work.metadata?.namespace === cluster && isConditionTrue(work.status?.conditions, 'Available'),
      signal,
    );
    report(`${cluster} has applied the template of replica set ${placementName}`);
  }
}
