import { managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { createInformers } from '@flotilla/kube';
import { describe, expect, it, vi } from 'vitest';
import { onceAccepted } from './accepted-again.ts';

describe('the watch for an acceptance after a refusal', () => {
  it.each([
    ['calls back once for a cluster that is accepted and cached already, after the first refusal', true, 1],
    ['does not call back for it after a later refusal', false, 0],
  ])('%s', async (_, wasRefused, count) => {
    const crds = customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ManagedCluster');
    await using plane = await startControlPlane({ listen: false, crds });
    const { client } = plane;
    await client.resource(managedClusters).create({ metadata: { name: 'c1' }, spec: { hubAcceptsClient: true } });
    using informers = createInformers({ client });
    const signal = AbortSignal.timeout(60_000);
    await informers.resource(managedClusters, { fieldSelector: 'metadata.name=c1' }).whenSynced({ signal });

    const onAccepted = vi.fn();
    const stop = onceAccepted({ informers, clusterName: 'c1', wasRefused, signal }, onAccepted);
    expect(onAccepted).toHaveBeenCalledTimes(count);
    stop();
  });
});
