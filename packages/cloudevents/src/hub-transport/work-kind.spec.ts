import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { createKubeClient } from '@flotilla/kube';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import type { CloudEventsClient } from '../client/client.ts';
import type { SubscriptionHandlers } from '../client/subscription.ts';
import { decodeBundleStatus, encodeBundle } from '../codecs/manifest-bundle.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { createHeartbeat } from '../event/create-event.ts';
import { createHubTransport } from './hub-transport.ts';

const work: ManifestWork = {
  metadata: { namespace: 'c1', name: 'w', uid: 'u1', generation: 1 },
  spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm' } }] } },
};
const deleted: ManifestWork = {
  ...work,
  metadata: { ...work.metadata, generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z' },
};
const purpose = { source: 'kube', now: 0, subresource: 'spec', action: 'update_request' } as const;

it('keeps the deletion of a work that comes while its status is being reported', async () => {
  let handlers: SubscriptionHandlers | undefined;
  const client: CloudEventsClient = {
    async publish({ id, type }) {
      if (type.endsWith('resync_request')) {
        handlers?.onEvent(encodeBundle(work, purpose));
        handlers?.onHeartbeat?.(createHeartbeat(id));
      } else handlers?.onEvent(encodeBundle(deleted, purpose));
    },
    subscribe(_, given) {
      handlers = given;
      queueMicrotask(() => given.onSubscribed());
      return () => {};
    },
    forward: () => Promise.reject(new Error('not in this spec')),
    tunnel: () => Promise.reject(new Error('not in this spec')),
    accessChanged: NEVER,
    close: async () => {},
  };
  const kube = createKubeClient({ transport: createHubTransport({ client, clusterName: 'c1' }) });
  const works = kube.resource(manifestWorks);
  await works.get('c1/w');
  const condition = {
    type: 'Applied',
    status: 'True',
    reason: 'R',
    message: 'm',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const;
  await works.status.patch('c1/w', { type: 'merge', body: { status: { conditions: [condition] } } });
  const after = await works.get('c1/w');
  expect(after.metadata?.deletionTimestamp).toBeDefined();
  expect(after.metadata?.finalizers).toEqual(['cluster.open-cluster-management.io/manifest-work-cleanup']);
  expect(after.status?.conditions).toEqual([condition]);
  await kube.close();
});

it('reports a work that cannot be read as not applied, once, and keeps what it has', async () => {
  const published: CloudEvent[] = [];
  let handlers: SubscriptionHandlers | undefined;
  const client: CloudEventsClient = {
    async publish(event) {
      if (event.type.endsWith('resync_request')) {
        handlers?.onEvent(encodeBundle(work, purpose));
        handlers?.onHeartbeat?.(createHeartbeat(event.id));
      } else published.push(event);
    },
    subscribe(_, given) {
      handlers = given;
      queueMicrotask(() => given.onSubscribed());
      return () => {};
    },
    forward: () => Promise.reject(new Error('works are not forwarded')),
    tunnel: () => Promise.reject(new Error('works are not forwarded')),
    accessChanged: NEVER,
    close: async () => {},
  };
  const kube = createKubeClient({ transport: createHubTransport({ client, clusterName: 'c1' }) });
  await kube.resource(manifestWorks).get('c1/w');
  const empty = { ...work, metadata: { ...work.metadata, generation: 2 }, spec: { workload: { manifests: [] } } };
  for (let time = 0; time < 2; time += 1) handlers?.onEvent(encodeBundle(empty, purpose));
  expect(published).toHaveLength(1);
  const { uid, generation, status } = decodeBundleStatus(published[0] ?? createHeartbeat());
  expect([uid, generation]).toEqual(['u1', 2n]);
  expect(status.conditions).toMatchObject([
    { type: 'Applied', status: 'False', reason: 'AppliedManifestWorkFailed', observedGeneration: 2 },
  ]);
  expect(status.conditions?.[0]?.message).toContain('at least one manifest');
  expect((await kube.resource(manifestWorks).get('c1/w')).metadata?.generation).toBe(1);
  await kube.close();
});
