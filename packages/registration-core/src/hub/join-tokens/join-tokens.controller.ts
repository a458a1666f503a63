import { Label, NamespaceName } from '@flotilla/api-types';
import {
  after,
  type CachedResource,
  type Controller,
  defineController,
  done,
  type Informers,
  type KubeClient,
  on,
} from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import {
  type CertificateSigningRequest,
  type ConfigMap,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
} from '@flotilla/kube/kinds';
import { requestCache, requesterOf } from '../../certificates/index.ts';
import { joinTokenKey, joinTokenRole, joinTokenUser, readJoinToken } from '../../contract/index.ts';
import type { HubDeps } from '../deps.ts';
import { collectMs, endOf, isCollected, isToPlace, newUses } from './join-tokens.policy.ts';

const byRequester = 'requester';
const byCluster = 'join-token-cluster';

const prefix = joinTokenUser('aaaaaa').slice(0, -6);

/** The record of the token that a request was sent with, if it was sent with one. */
const tokenOf = (request: CertificateSigningRequest): string[] => {
  const user = requesterOf(request);
  return user?.startsWith(prefix) ? [joinTokenKey(user.slice(prefix.length))] : [];
};

/**
 * Counts what join tokens were used for, puts their clusters into their sets, and revokes tokens that have ended. The hub reads no
 * token: it deletes the role of the holder, and the garbage collector deletes the token that the role owns.
 */
export function joinTokensController({ client, informers, clusters, clock }: HubDeps): Controller {
  const records = recordsOf(informers);
  const usedUpSince = new Map<string, MonotonicTime>();
  const requests = requestCache(informers, { [byRequester]: (request) => [requesterOf(request) ?? ''] });
  return defineController({
    name: 'JoinTokenController',
    // A hub from before it lacks the rights until it is installed again; nothing else waits for that.
    isOptional: true,
    watches: [
      on(records),
      on(requests, tokenOf, ({ type, object }) => type !== 'deleted' && Boolean(object.status?.certificate)),
      on(
        clusters,
        ({ metadata }) => records.byIndex(byCluster, metadata?.name ?? '').map((record) => joinTokenKeyOf(record)),
        ({ type }) => type !== 'deleted',
      ),
    ],
    async reconcile(key, { log, signal }) {
      let stored = records.get(key);
      const record = stored && readJoinToken(stored);
      if (!stored || !record) {
        usedUpSince.delete(key);
        return done;
      }
      const { id, clusterName } = record;
      const uses = newUses(record, requests.byIndex(byRequester, joinTokenUser(id)));
      if (uses) stored = await patchRecord(records, stored, { uses: uses.join(',') });
      const end = endOf({ ...record, uses: uses ?? record.uses }, clock.now());
      // The cache may lag behind the request, and after the end of the token it is too late.
      const found = clusterName === undefined ? undefined : clusters.get(clusterName);
      const cluster = found ?? (end && clusterName ? await clusters.find(clusterName, { signal }) : undefined);
      if (isToPlace(record, stored.metadata?.creationTimestamp, cluster)) {
        const labels = { [Label.ClusterSet]: record.clusterSet };
        const body = { metadata: { uid: cluster.metadata?.uid, labels } };
        await clusters.patch(clusterName ?? '', { type: 'merge', body }, { signal });
        await patchRecord(records, stored, { placed: cluster.metadata?.uid ?? '' });
        log.info('put a cluster into the set of its join token', { cluster: clusterName, set: record.clusterSet });
      }
      const untilExpiryMs = record.expiresAt === undefined ? undefined : record.expiresAt - clock.now();
      if (end === undefined) {
        return untilExpiryMs === undefined ? done : after(untilExpiryMs, 'the join token ends then');
      }
      if (untilExpiryMs === undefined || untilExpiryMs > 0) {
        const since = usedUpSince.get(key) ?? clock.monotonic();
        usedUpSince.set(key, since);
        const leftMs = collectMs - msBetween(since, clock.monotonic());
        const isDone = isCollected(requests.byIndex(byRequester, joinTokenUser(id)), cluster);
        if (!isDone && leftMs > 0) return after(leftMs, 'its holder may still read the certificate');
      }
      usedUpSince.delete(key);
      await revoke(client, id);
      log.info('revoked a join token', { token: id, why: end });
      return done;
    },
  });
}

const recordsOf = (informers: Informers): CachedResource<ConfigMap> =>
  informers.resource(configMaps, {
    namespace: NamespaceName.Hub,
    labelSelector: Label.JoinToken,
    indexes: { [byCluster]: ({ data }) => (data?.['cluster-name'] ? [data['cluster-name']] : []) },
  });

const joinTokenKeyOf = ({ data }: ConfigMap): string => joinTokenKey(data?.['token-id'] ?? '');

/** Another writer, who approves a request in this moment, is not overwritten: the uses are counted again then. */
const patchRecord = (
  records: CachedResource<ConfigMap>,
  { metadata: { namespace, name, uid, resourceVersion } = {} }: ConfigMap,
  data: Record<string, string>,
): Promise<ConfigMap> => {
  const body = { metadata: { uid, resourceVersion }, data };
  return records.patch(`${namespace}/${name}`, { type: 'merge', body });
};

/** The binding first: the holder loses its rights at once. */
async function revoke(client: KubeClient, id: string): Promise<void> {
  const name = joinTokenRole(id);
  await client.resource(clusterRoleBindings).delete(name);
  await client.resource(clusterRoles).delete(name);
}
