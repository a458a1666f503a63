import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { createKubeClient } from '@flotilla/kube';
import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import type { CloudEventsClient } from '../client/client.ts';
import type { SubscriptionHandlers } from '../client/subscription.ts';
import { encodeBundle } from '../codecs/manifest-bundle.ts';
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
        handlers?.onHeartbeat?.(id);
      } else handlers?.onEvent(encodeBundle(deleted, purpose));
    },
    subscribe(_, given) {
      handlers = given;
      queueMicrotask(() => given.onSubscribed());
      return () => {};
    },
    forward: () => Promise.reject(new Error('not in this spec')),
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
