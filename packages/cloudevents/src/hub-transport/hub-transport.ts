import { tunnelPath } from '@flotilla/api-types';
import { type Clock, type Logger, realClock, silentLogger } from '@flotilla/kube';
import type { KubeRequest, KubeResponse, Transport } from '@flotilla/kube/transport';
import type { KubeObject } from '@flotilla/schema';
import type { CloudEventsClient } from '../client/client.ts';
import {
  certificateSigningRequestCodec,
  leaseCodec,
  managedClusterAddOnCodec,
  managedClusterCodec,
} from '../codecs/codecs.ts';
import type { HubAnnouncement } from '../event/announcement.ts';
import { eventKind } from './event-kind.ts';
import type { HubContext, OwnedByTransport } from './hub-context.ts';
import type { HubKind } from './hub-kind.ts';
import { objectKind } from './object-kind.ts';
import { parseTarget, type RequestTarget, refusal } from './request-target.ts';
import { defaultDeadlineMs, serve } from './serve.ts';
import { requestToken } from './token-kind.ts';
import { watch } from './watch.ts';
import { workKind } from './work-kind.ts';

/** Options of `createHubTransport`. */
export interface HubTransportOptions {
  /** Closed with the transport. */
  readonly client: CloudEventsClient;
  readonly clusterName: string;
  /** Who reports on ManifestWorks. Default: `<cluster>-work-agent`. */
  readonly workSource?: string;
  /** Called with what the hub announces, each time the stream of ManagedClusters opens and when it changes. */
  readonly onAnnouncement?: (announcement: HubAnnouncement) => void;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** In [0, 1). */
  readonly random?: () => number;
}

/**
 * The hub's API as its gRPC server offers it to one cluster, for `createKubeClient({ transport })`. Reads are answered from what was
 * received; a request for a kind that is not sent over gRPC fails with `NotFound`.
 */
export function createHubTransport(options: HubTransportOptions): Transport {
  const { client, clusterName, clock = realClock, log = silentLogger, onAnnouncement } = options;
  const owned = new Set<OwnedByTransport>();
  const own = <T extends OwnedByTransport>(resource: T): T => {
    owned.add(resource);
    return resource;
  };
  const context: HubContext = { client, clusterName, clock, log, random: options.random ?? Math.random, own };
  const clusters = objectKind(context, managedClusterCodec, {
    create: true,
    update: ['spec', 'status'],
    ...(onAnnouncement && { onAnnouncement }),
  });
  const kinds = new Map<string, HubKind>([
    entry(managedClusterCodec.resource, clusters),
    entry(
      certificateSigningRequestCodec.resource,
      objectKind(context, certificateSigningRequestCodec, { create: true }),
    ),
    entry(leaseCodec.resource, objectKind(context, leaseCodec, { update: ['spec'] })),
    entry(managedClusterAddOnCodec.resource, objectKind(context, managedClusterAddOnCodec, { update: ['status'] })),
    entry(
      { group: 'work.open-cluster-management.io', version: 'v1', plural: 'manifestworks' },
      workKind(context, options.workSource ?? `${clusterName}-work-agent`),
    ),
    entry({ group: 'events.k8s.io', version: 'v1', plural: 'events' }, eventKind(context)),
  ]);

  const locate = (request: KubeRequest): { target: RequestTarget; kind: HubKind } => {
    const target = parseTarget(request.path);
    const kind = target && kinds.get(target.resource);
    if (!kind) throw refusal('NotFound', request);
    return { target, kind };
  };
  return {
    async request(request) {
      if (request.path === probePath) {
        await clusters.synced?.().probe(request.signal, request.deadlineMs ?? defaultDeadlineMs);
        return answer(inStep(owned));
      }
      const target = parseTarget(request.path);
      if (target?.resource === '/v1/serviceaccounts' && target.subresource === 'token' && request.method === 'POST') {
        return answer(await requestToken(context, request, target));
      }
      const located = locate(request);
      return answer(await serve(request, located.target, located.kind));
    },
    async stream(request) {
      const { target, kind } = locate(request);
      return watch(request, target, kind);
    },
    upgrade: tunnelUpgrade(client, clusterName),
    accessChanged: client.accessChanged,
    async close() {
      for (const resource of owned) resource.close();
      owned.clear();
      await client.close();
    },
  };
}

/** The only upgrade that travels over gRPC: the tunnel by which users of the hub reach the cluster. */
const tunnelUpgrade =
  (client: CloudEventsClient, clusterName: string): NonNullable<Transport['upgrade']> =>
  async ({ path, method, signal }) => {
    if (path !== tunnelPath(clusterName)) throw refusal('NotFound', { path, method });
    return { switched: true, headers: [], socket: await client.tunnel(clusterName, signal) };
  };

/**
 * A request that is not answered from what was received: it succeeds if the hub answers now, knows the caller and its cluster, and no
 * kind that is read is behind. As `/readyz` of an API server.
 */
const probePath = '/readyz';

function inStep(kinds: Iterable<OwnedByTransport>): object {
  for (const { outOfStep } of kinds) if (outOfStep) throw outOfStep;
  return {};
}

const entry = <T extends KubeObject>(
  { group, version, plural }: { group: string; version: string; plural: string },
  kind: HubKind<T>,
): [string, HubKind] => [`${group}/${version}/${plural}`, kind];

const answer = (object: object): KubeResponse => ({ status: 200, headers: {}, body: JSON.stringify(object) });
