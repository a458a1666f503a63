import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import {
  type BrokerService,
  dataTypes,
  decodeBundleStatus,
  encodeBundle,
  encodeGoneBundle,
  metadataDigest,
} from '@flotilla/cloudevents';
import { type CachedResource, type KubeClient, KubeError } from '@flotilla/kube';
import type { ClusterBudgets } from '../budget/cluster-budgets.ts';
import type { Caller } from '../caller.ts';
import { maxDataBytesOf } from '../limits.ts';
import { unsupported } from './bound-object.ts';
import { hubSource, type ServiceDeps, startFeed } from './feed.ts';
import type { FeedingService } from './object-services.ts';
import { requireRoom } from './status-room.ts';
import { changedStatus, cleanupFinalizer, decideReport, isNewsForAgent } from './work.policy.ts';

const uidIndex = 'uid';
const attempts = 5;

/** ManifestWorks: agents receive them and report on them. */
export function workService(
  client: KubeClient,
  cache: CachedResource<ManifestWork>,
  budgets: ClusterBudgets,
  deps: ServiceDeps,
): FeedingService {
  const works = worksClient(client);
  cache.addIndex(uidIndex, ({ metadata }) => (metadata?.uid ? [metadata.uid] : []));
  const purpose = () => ({ source: hubSource, now: deps.clock.now(), subresource: 'spec' }) as const;
  const feed = startFeed<ManifestWork>(
    {
      dataType: dataTypes.manifestBundles,
      cache,
      clusterOf: ({ metadata }) => metadata?.namespace,
      identify: ({ metadata = {} }) => ({
        version: BigInt(metadata.generation ?? 0),
        digest: () => metadataDigest(metadata),
      }),
      encode: (work, action) => encodeBundle(work, { ...purpose(), action }),
      encodeGone: (work) => encodeGoneBundle(work, { ...purpose(), action: 'delete_request' }),
      isNews: isNewsForAgent,
    },
    deps,
  );

  /** Only the agent writes this status, so that there are no conflicts. */
  const storeStatus = async (key: string, status: ManifestWork['status']) => {
    if (status) await works.status.patch(key, { type: 'merge', body: { status } });
  };

  const handle: BrokerService<Caller>['handle'] = async (event, { action }, caller) => {
    if (action !== 'update_request') throw unsupported({ resource: manifestWorks }, action);
    const report = decodeBundleStatus(event);
    // By uid, and only in the namespace of the cluster that the event was authorised for.
    const work = cache.byIndex(uidIndex, report.uid).find(({ metadata }) => metadata?.namespace === report.clusterName);
    const key = `${report.clusterName}/${work?.metadata?.name}`;
    switch (decideReport(work, report)) {
      case 'ignore':
        return;
      case 'release':
        return changeFinalizer(works, key, (finalizers) => finalizers.filter((each) => each !== cleanupFinalizer));
      case 'store':
        requireRoom(budgets.of(caller, report.clusterName), cache, work, event.data?.length ?? 0);
        if (!work?.metadata?.finalizers?.includes(cleanupFinalizer) && !work?.metadata?.deletionTimestamp) {
          await changeFinalizer(works, key, (all) =>
            all.includes(cleanupFinalizer) ? all : [...all, cleanupFinalizer],
          );
        }
        return storeStatus(key, changedStatus(work?.status, report.status));
    }
  };
  const dataType = dataTypes.manifestBundles;
  return { dataType, maxDataBytes: maxDataBytesOf(dataType), ...feed, handle };
}

type ResourceClient = ReturnType<typeof worksClient>;
const worksClient = (client: KubeClient) => client.resource(manifestWorks);

/** Changes the finalizers of a work, also while others write it. */
async function changeFinalizer(
  works: ResourceClient,
  key: string,
  change: (finalizers: readonly string[]) => readonly string[],
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const work = await works.find(key);
    const finalizers = work?.metadata?.finalizers ?? [];
    const next = change(finalizers);
    if (!work || next.length === finalizers.length) return;
    // With the version, because the list of finalizers is replaced as a whole.
    const body = { metadata: { finalizers: next, resourceVersion: work.metadata?.resourceVersion } };
    try {
      await works.patch(key, { type: 'merge', body });
      return;
    } catch (error) {
      if (KubeError.is(error, 'NotFound')) return;
      if (!KubeError.is(error, 'Conflict') || attempt === attempts) throw error;
    }
  }
}
