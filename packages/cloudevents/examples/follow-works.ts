import {
  type CloudEventsClient,
  createResyncRequest,
  dataTypes,
  decodeBundle,
  encodeBundleStatus,
  sequenceIds,
} from '@flotilla/cloudevents';
import { realClock } from '@flotilla/kube';

/** Follows the ManifestWorks of a cluster and reports each as applied. Call the result to end. */
export function followWorks(client: CloudEventsClient, clusterName: string): () => void {
  const nextSequenceId = sequenceIds(realClock);
  const origin = () => ({ source: `${clusterName}-work-agent`, now: realClock.now() });
  const versions = new Map<string, bigint>();
  return client.subscribe(
    { clusterName, dataType: dataTypes.manifestBundles },
    {
      // Each time the stream opens: ask for what changed while it was closed.
      onSubscribed() {
        const request = createResyncRequest(origin(), dataTypes.manifestBundles, { clusterName, known: versions });
        client.publish(request).catch(console.error);
      },
      onEvent(event) {
        const work = decodeBundle(event);
        versions.set(work.metadata?.uid ?? '', BigInt(work.metadata?.generation ?? 0));
        const applied = {
          type: 'Applied',
          status: 'True',
          reason: 'Done',
          message: `${work.spec?.workload?.manifests?.length ?? 0} manifests are applied`,
          lastTransitionTime: new Date(realClock.now()).toISOString(),
        } as const;
        const report = encodeBundleStatus({ ...work, status: { conditions: [applied] } }, origin(), nextSequenceId());
        client.publish(report).catch(console.error);
      },
      onError: (error) => console.error(error.message),
    },
  );
}
