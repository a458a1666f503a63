import { KubeError } from '@flotilla/kube';
import { deployments, evictPod, podDisruptionBudgets, pods, scale } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { startTestPlane, type TestPlane } from '../../../fixtures/test-plane.ts';
import { type CustomResourceDefinition, customResources, customStorage } from '../../schema/custom.ts';
import type { Scale } from './scale-object.ts';

const template = {
  metadata: { labels: { app: 'web', tier: 'front' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
};
const deployment = {
  metadata: { namespace: 'default', name: 'web' },
  spec: { replicas: 2, selector: { matchLabels: { tier: 'front', app: 'web' } }, template },
};

const definition: CustomResourceDefinition = {
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          scale: {
            specReplicasPath: '.spec.size.wanted',
            statusReplicasPath: '.status.count',
            labelSelectorPath: '.status.selector',
          },
        },
      },
    ],
  },
};

describe('the scale subresource', () => {
  it('shows a built-in kind in the shape of a Scale', async () => {
    const { client } = await startTestPlane();
    const created = await client.resource(deployments).create(deployment);
    const shown = await client.resource(deployments).subresource<Scale>('scale').get('default/web');
    const { name, namespace, uid, resourceVersion, creationTimestamp } = created.metadata ?? {};
    expect(shown).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web,tier=front' },
    });
  });

  it('changes the replicas and the generation, and nothing else', async () => {
    const { client } = await startTestPlane();
    const created = await client.resource(deployments).create(deployment);
    await scale(client, deployments, 'default/web', 5);
    const scaled = await client.resource(deployments).get('default/web');
    expect(scaled.spec).toEqual({ ...created.spec, replicas: 5 });
    expect(scaled.metadata?.generation).toBe(2);
  });

  it('refuses an old resource version and a negative number', async () => {
    const { client } = await startTestPlane();
    await client.resource(deployments).create(deployment);
    const handle = client.resource(deployments).subresource<Scale>('scale');
    const old = await handle.get('default/web');
    await scale(client, deployments, 'default/web', 5);
    await expect(handle.replace({ ...old, spec: { replicas: 1 } })).rejects.toMatchObject({ code: 'Conflict' });
    await expect(scale(client, deployments, 'default/web', -1)).rejects.toThrow(
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
  });

  it('follows the paths that a custom resource names', async () => {
    const { client, backend } = await startTestPlane();
    const type = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
    backend.registry.setCustom(customStorage(definition), customResources(definition));
    const widget: KubeObject & { spec: object; status: object } = {
      metadata: { namespace: 'default', name: 'w' },
      spec: { size: { wanted: 1, unit: 'm' } },
      status: { count: 1, selector: 'app=w' },
    };
    await client.resource(type).create(widget);
    const shown = await client.resource(type).subresource<Scale>('scale').get('default/w');
    expect(shown).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: 'app=w' } });
    await scale(client, type, 'default/w', 3);
    expect(await client.resource(type).get('default/w')).toMatchObject({ spec: { size: { wanted: 3, unit: 'm' } } });
  });
});

describe('the eviction of pods', () => {
  const running = async ({ client }: TestPlane) => {
    const pod = await client
      .resource(pods)
      .create({ metadata: { namespace: 'default', name: 'p', labels: { app: 'web' } }, spec: template.spec });
    const conditions = [{ type: 'Ready', status: 'True' }];
    await client.resource(pods).status.replace({ ...pod, status: { phase: 'Running', conditions } });
  };
  const budget = async ({ client }: TestPlane, disruptionsAllowed: number) => {
    const created = await client.resource(podDisruptionBudgets).create({
      metadata: { namespace: 'default', name: 'b' },
      spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 },
    });
    const status = { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 };
    await client.resource(podDisruptionBudgets).status.replace({ ...created, status });
  };

  it('deletes a pod that no budget guards', async () => {
    const plane = await startTestPlane();
    await running(plane);
    const seen: unknown[] = [];
    plane.backend.storage.subscribe('/pods', ({ type, object }) => seen.push([type, Reflect.get(object, 'status')]));
    await evictPod(plane.client, 'default/p');
    expect(seen).toMatchObject([
      ['MODIFIED', { conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }] }],
      ['DELETED', {}],
    ]);
  });

  it('is refused for now where the budget is spent', async () => {
    const plane = await startTestPlane();
    await running(plane);
    await budget(plane, 0);
    const refused = await evictPod(plane.client, 'default/p').catch((error) => KubeError.from(error));
    expect(refused).toMatchObject({
      code: 'TooManyRequests',
      apiStatus: {
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [
            { reason: 'DisruptionBudget', message: 'The disruption budget b needs 1 healthy pods and has 1 currently' },
          ],
        },
      },
    });
  });

  it('takes one disruption from the budget', async () => {
    const plane = await startTestPlane();
    await running(plane);
    await budget(plane, 1);
    await evictPod(plane.client, 'default/p');
    const { status } = await plane.client.resource(podDisruptionBudgets).get('default/b');
    expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { p: '2026-01-01T00:00:00Z' } });
  });
});

describe('the deletion of pods', () => {
  it('gives a pod on a node its time, which can be shortened but not prolonged', async () => {
    const { client, clock } = await startTestPlane();
    const handle = client.resource(pods);
    await handle.create({ metadata: { namespace: 'default', name: 'p' }, spec: { ...template.spec, nodeName: 'n' } });
    await handle.delete('default/p', { gracePeriodSeconds: 20 });
    expect((await handle.get('default/p')).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:20Z',
      deletionGracePeriodSeconds: 20,
    });
    await handle.delete('default/p', { gracePeriodSeconds: 40 });
    await clock.advance(5000);
    await handle.delete('default/p', { gracePeriodSeconds: 10 });
    expect((await handle.get('default/p')).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
    });
    await handle.delete('default/p', { gracePeriodSeconds: 0 });
    expect(await handle.find('default/p')).toBeUndefined();
  });
});
