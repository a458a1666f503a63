import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import {
  type BrokerService,
  dataTypes,
  decodeBundleStatus,
  encodeBundle,
  encodeGoneBundle,
} from '@flotilla/cloudevents';
import { type CachedResource, type KubeClient, KubeError, type ResourceHandle, retryOnConflict } from '@flotilla/kube';
import type { Caller } from '../caller.ts';
import { unsupported } from './bound-object.ts';
import { hubSource, type ServiceDeps, startFeed } from './feed.ts';
import type { FeedingService } from './object-services.ts';
import { changedStatus, cleanupFinalizer, decideReport, isNewsForAgent } from './work.policy.ts';

const uidIndex = 'uid';

/** ManifestWorks: agents receive them and report on them. */
export function workService(
  client: KubeClient,
  cache: CachedResource<ManifestWork>,
  deps: ServiceDeps,
): FeedingService {
  const works = client.resource(manifestWorks);
  cache.addIndex(uidIndex, ({ metadata }) => (metadata?.uid ? [metadata.uid] : []));
  const purpose = () => ({ source: hubSource, now: deps.clock.now(), subresource: 'spec' }) as const;
  const feed = startFeed<ManifestWork>(
    {
      dataType: dataTypes.manifestBundles,
      cache,
      clusterOf: ({ metadata }) => metadata?.namespace,
      encode: (work, action) => encodeBundle(work, { ...purpose(), action }),
      encodeGone: (work) => encodeGoneBundle(work, { ...purpose(), action: 'delete_request' }),
      isNews: isNewsForAgent,
    },
    deps,
  );

  const changeFinalizer = (key: string, change: FinalizerChange) => changeFinalizers(works, key, change);

  /** Only the agent writes this status, so that there are no conflicts. */
  const storeStatus = async (key: string, status: ManifestWork['status']) => {
    if (status) await works.status.patch(key, { type: 'merge', body: { status } });
  };

  const handle: BrokerService<Caller>['handle'] = async (event, { action }) => {
    if (action !== 'update_request') throw unsupported({ resource: manifestWorks }, action);
    const report = decodeBundleStatus(event);
    // By uid, and only in the namespace of the cluster that the event was authorised for.
    const work = cache.byIndex(uidIndex, report.uid).find(({ metadata }) => metadata?.namespace === report.clusterName);
    const key = `${report.clusterName}/${work?.metadata?.name}`;
    switch (decideReport(work, report)) {
      case 'ignore':
        return;
      case 'release':
        return changeFinalizer(key, (finalizers) => finalizers.filter((each) => each !== cleanupFinalizer));
      case 'store':
        if (!work?.metadata?.finalizers?.includes(cleanupFinalizer) && !work?.metadata?.deletionTimestamp) {
          await changeFinalizer(key, (all) => (all.includes(cleanupFinalizer) ? all : [...all, cleanupFinalizer]));
        }
        return storeStatus(key, changedStatus(work?.status, report.status));
    }
  };
  return { dataType: dataTypes.manifestBundles, ...feed, handle };
}

type FinalizerChange = (finalizers: readonly string[]) => readonly string[];

/** With the version, because the list of finalizers is replaced as a whole. */
async function changeFinalizers(works: ResourceHandle<ManifestWork>, key: string, change: FinalizerChange) {
  await retryOnConflict(async () => {
    const work = await works.find(key);
    const finalizers = work?.metadata?.finalizers ?? [];
    const next = change(finalizers);
    if (!work || next.length === finalizers.length) return;
    const body = { metadata: { finalizers: next, resourceVersion: work.metadata?.resourceVersion } };
    try {
      await works.patch(key, { type: 'merge', body });
    } catch (error) {
      if (!KubeError.is(error, 'NotFound')) throw error;
    }
  });
}
