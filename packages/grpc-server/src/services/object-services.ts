import { Annotation, KeyPrefix, Label, type ManagedCluster, Permission } from '@flotilla/api-types';
import {
  type BrokerService,
  certificateSigningRequestCodec,
  eventCodec,
  leaseCodec,
  managedClusterCodec,
  type ObjectCodec,
} from '@flotilla/cloudevents';
import { type CachedResource, type KubeClient, keyOf } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { AccessReviewer } from '../authz/access-reviewer.ts';
import type { ClusterBudgets } from '../budget/cluster-budgets.ts';
import type { Caller } from '../caller.ts';
import { maxDataBytesOf } from '../limits.ts';
import { agentAnnotations } from './agent-annotations.policy.ts';
import { boundObject, unsupported } from './bound-object.ts';
import { type Feed, hubSource, identifyByVersion, type ServiceDeps, startFeed } from './feed.ts';
import { replaceStatus } from './replace-status.ts';
import { storedRequestsOf } from './request-cache.ts';
import { StatusVersions } from './status-versions.ts';

/** A service that follows a cache. */
export interface FeedingService extends BrokerService<Caller> {
  stop(): void;
}

/** A service whose objects travel as they are. */
function objectService<T extends KubeObject>(
  codec: ObjectCodec<T>,
  cache: CachedResource<T>,
  deps: ServiceDeps,
  handle: BrokerService<Caller>['handle'],
  clusterOf: Feed<T>['clusterOf'] = (object) => codec.clusterOf(object),
): FeedingService {
  const purpose = () => ({ source: hubSource, now: deps.clock.now(), subresource: 'spec' }) as const;
  const feed = startFeed<T>(
    {
      dataType: codec.dataType,
      cache,
      clusterOf,
      identify: identifyByVersion,
      encode: (object, action) => codec.encode(object, { ...purpose(), action }),
      encodeGone: (object) => codec.encodeGone(object, { ...purpose(), action: 'delete_request' }),
    },
    deps,
  );
  return { dataType: codec.dataType, maxDataBytes: maxDataBytesOf(codec.dataType), ...feed, handle };
}

const stoppingWith = (service: FeedingService, versions: StatusVersions): FeedingService => ({
  ...service,
  stop() {
    service.stop();
    versions.stop();
  },
});

/** ManagedClusters: an agent creates its cluster, and reports its status. */
export function clusterService(
  client: KubeClient,
  cache: CachedResource<ManagedCluster>,
  reviewer: AccessReviewer,
  deps: ServiceDeps,
): FeedingService {
  const clusters = client.resource(managedClusterCodec.resource);
  const versions = new StatusVersions(cache);
  const service = objectService(managedClusterCodec, cache, deps, async (event, { subresource, action }, caller) => {
    const cluster = boundObject(managedClusterCodec, event);
    if (action === 'create_request') {
      await requireSet(cluster, caller, reviewer);
      await requireAddOnAnnotations(cluster, caller, reviewer);
      const { name, labels, annotations } = cluster.metadata ?? {};
      const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
      // Whether a cluster is accepted is for the hub to say, and not for the cluster.
      await clusters.create({ metadata, spec: { ...cluster.spec, hubAcceptsClient: false } });
    } else if (action === 'update_request' && subresource === 'status') {
      await replaceStatus(client, managedClusterCodec.resource, cluster, versions);
    } else if (action === 'update_request') {
      const { name = '' } = cluster.metadata ?? {};
      const { managedClusterClientConfigs = [] } = cluster.spec ?? {};
      const annotations = agentAnnotations(cluster, cache.get(name));
      const body = { ...(annotations && { metadata: { annotations } }), spec: { managedClusterClientConfigs } };
      await clusters.patch(name, { type: 'merge', body });
    } else throw unsupported(managedClusterCodec, action);
  });
  return stoppingWith(service, versions);
}

/** A cluster joins a set only if its caller may: the account of the server may join any. */
async function requireSet({ metadata }: ManagedCluster, caller: Caller, reviewer: AccessReviewer): Promise<void> {
  const set = metadata?.labels?.[Label.ClusterSet];
  if (!set) return;
  const group = 'cluster.open-cluster-management.io';
  const join = { verb: 'create', group, resource: 'managedclustersets', subresource: 'join', name: set };
  await reviewer.require(caller, { ...join, namespace: metadata?.name ?? '' });
}

const decidesAboutAddOns = (key: string): boolean =>
  key.startsWith(KeyPrefix.AddOnAnnotation) ||
  key === Annotation.ImageRegistries ||
  key === Annotation.ClusterApiCluster;

/** What the add-ons of a cluster do is said by those who decide about clusters, also where the account of the server may accept them. */
async function requireAddOnAnnotations(
  { metadata }: ManagedCluster,
  caller: Caller,
  reviewer: AccessReviewer,
): Promise<void> {
  const { name = '', annotations = {} } = metadata ?? {};
  if (!Object.keys(annotations).some(decidesAboutAddOns)) return;
  await reviewer.require(caller, { ...Permission.AcceptCluster, name, namespace: name });
}

type RequestCache = CachedResource<ReturnType<typeof certificateSigningRequestCodec.decode>>;

/** CertificateSigningRequests. An annotation names the caller, because the request itself names the account of the server. */
export function requestService(
  client: KubeClient,
  cache: RequestCache,
  budgets: ClusterBudgets,
  deps: ServiceDeps,
): FeedingService {
  const requests = client.resource(certificateSigningRequestCodec.resource);
  const clusterOf: Feed<ReturnType<typeof certificateSigningRequestCodec.decode>>['clusterOf'] = ({ metadata }) =>
    metadata?.labels?.[Label.ClusterName];
  const handle: BrokerService<Caller>['handle'] = async (event, { action }, caller) => {
    if (action !== 'create_request') throw unsupported(certificateSigningRequestCodec, action);
    const { metadata, spec } = boundObject(certificateSigningRequestCodec, event);
    const clusterName = metadata?.labels?.[Label.ClusterName] ?? '';
    const budget = budgets.of(caller, clusterName);
    budget.take('requests');
    budget.require('storedRequests', storedRequestsOf(cache, caller, clusterName) + 1);
    const { request, signerName, usages, expirationSeconds } = spec;
    const { name, labels = {}, annotations: { [Annotation.ClusterIdentity]: identity } = {} } = metadata ?? {};
    const annotations = {
      [Annotation.CsrUser]: caller.user,
      ...bootstrapGroups(caller),
      // Which of two clusters of one name asks: the hub does not sign for the one that does not hold the name.
      ...(identity && { [Annotation.ClusterIdentity]: identity }),
    };
    await requests.create({
      metadata: { name, labels, annotations },
      // Who asks is filled in by the API server.
      spec: { request, signerName, usages, ...(expirationSeconds !== undefined && { expirationSeconds }) },
    });
  };
  return objectService(certificateSigningRequestCodec, cache, deps, handle, clusterOf);
}

/** What a join token is good for is known by its groups. */
function bootstrapGroups({ groups }: Caller): Record<string, string> {
  const bootstrap = groups.filter((group) => group.startsWith('system:bootstrappers:'));
  return bootstrap.length > 0 ? { [Annotation.CsrGroups]: bootstrap.join(',') } : {};
}

/** Leases: the heartbeats of clusters. */
export function leaseService(
  client: KubeClient,
  cache: CachedResource<ReturnType<typeof leaseCodec.decode>>,
  deps: ServiceDeps,
): FeedingService {
  const leases = client.resource(leaseCodec.resource);
  return objectService(leaseCodec, cache, deps, async (event, { action }) => {
    if (action !== 'update_request') throw unsupported(leaseCodec, action);
    const lease = boundObject(leaseCodec, event);
    // The label and the holder of a lease belong to the hub. The uid refuses the renewal of one that was deleted.
    const body = { metadata: { uid: lease.metadata?.uid }, spec: { renewTime: lease.spec?.renewTime ?? null } };
    await leases.patch(keyOf(lease), { type: 'merge', body });
  });
}

/** ManagedClusterAddOns in one version: agents report their status. */
export function addOnService<T extends KubeObject>(
  codec: ObjectCodec<T>,
  client: KubeClient,
  cache: CachedResource<T>,
  deps: ServiceDeps,
): FeedingService {
  const versions = new StatusVersions(cache);
  const service = objectService(codec, cache, deps, async (event, { action }) => {
    if (action !== 'update_request') throw unsupported(codec, action);
    await replaceStatus(client, codec.resource, boundObject(codec, event), versions);
  });
  return stoppingWith(service, versions);
}

/** Events, which have no subscribers. */
export function eventService(client: KubeClient, budgets: ClusterBudgets): BrokerService<Caller> {
  const events = client.resource(eventCodec.resource);
  return {
    dataType: eventCodec.dataType,
    maxDataBytes: maxDataBytesOf(eventCodec.dataType),
    list() {
      throw unsupported(eventCodec, 'resync_request');
    },
    async handle(event, { action }, caller) {
      const reported = boundObject(eventCodec, event);
      const { name, namespace = '' } = reported.metadata ?? {};
      budgets.of(caller, namespace).take('recorded');
      if (action === 'create_request') await events.create(reported);
      else if (action === 'update_request') {
        const stored = await events.find(`${namespace}/${name}`);
        if (stored) await events.replace({ ...stored, ...(reported.series && { series: reported.series }) });
      } else throw unsupported(eventCodec, action);
    },
  };
}
