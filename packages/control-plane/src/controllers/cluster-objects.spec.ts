import {
  apiServices,
  customResourceDefinitions,
  endpointSlices,
  endpoints,
  priorityClasses,
  services,
} from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';
import { startControlPlane } from '../index.ts';
import { followDefinitions } from '../schema/definitions.ts';

const group = 'flowcontrol.apiserver.k8s.io';
interface FlowControlObject extends KubeObject {
  spec: object;
  status?: { conditions?: object[] };
}
const schemas: ResourceType<FlowControlObject> = {
  group,
  version: 'v1',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
};
const levels: ResourceType<FlowControlObject> = {
  group,
  version: 'v1',
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
};

async function startControlled() {
  const plane = await startTestPlane();
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(followDefinitions({ ...plane.backend }));
  cleanup.use(plane.runControllers());
  await plane.quiet();
  const running = cleanup.move();
  return { ...plane, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

describe('a control plane', () => {
  it('has what every cluster starts with', async () => {
    await using plane = await startControlPlane();
    const names = async <T extends KubeObject>(type: ResourceType<T>) =>
      (await plane.client.resource(type).list()).items.map(({ metadata }) => metadata?.name);
    expect(await names(priorityClasses)).toEqual(['system-cluster-critical', 'system-node-critical']);
    expect(await names(schemas)).toEqual(expect.arrayContaining(['catch-all', 'exempt', 'service-accounts']));
    expect(await names(levels)).toEqual(expect.arrayContaining(['catch-all', 'exempt', 'workload-low']));
    expect(await names(apiServices)).toEqual(expect.arrayContaining(['v1.', 'v1.apps', 'v2.autoscaling']));
    const local = await plane.client.resource(apiServices).get('v1.apps');
    expect(local.status?.conditions).toMatchObject([{ type: 'Available', status: 'True', reason: 'Local' }]);
  });

  it('is found by its Service, which comes back when it is deleted', async () => {
    await using plane = await startControlPlane();
    const port = Number(new URL(plane.server).port);
    const handle = plane.client.resource(services);
    const service = await handle.get('default/kubernetes');
    expect(service.spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ port: 443, targetPort: port }] });
    expect((await plane.client.resource(endpoints).get('default/kubernetes')).subsets).toMatchObject([
      { addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port }] },
    ]);
    expect(await plane.client.resource(endpointSlices).get('default/kubernetes')).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    });
    await handle.delete('default/kubernetes');
    for await (const event of handle.watch({ namespace: 'default', resourceVersion: '0' })) {
      if (event.type === 'ADDED' && event.object.metadata?.uid !== service.metadata?.uid) break;
    }
  });
});

describe('API services', () => {
  it('come and go with the versions of custom resources', async () => {
    await using plane = await startControlled();
    const definitions = plane.client.resource<KubeObject & { spec: object }>(customResourceDefinitions);
    const schema = { openAPIV3Schema: { type: 'object' } };
    await definitions.create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await plane.quiet();
    const handle = plane.client.resource(apiServices);
    expect(await handle.get('v1.example.com')).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    await definitions.delete('widgets.example.com');
    await plane.quiet();
    expect(await handle.find('v1.example.com')).toBeUndefined();
  });

  it('of other servers say why they are not available', async () => {
    await using plane = await startControlled();
    const handle = plane.client.resource(apiServices);
    await handle.create({
      metadata: { name: 'v1.other.example.com' },
      spec: {
        group: 'other.example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { namespace: 'default', name: 'other' },
      },
    });
    const condition = async () => {
      await plane.quiet();
      return (await handle.get('v1.other.example.com')).status?.conditions?.[0];
    };
    const subject = 'service/other in "default"';
    expect(await condition()).toMatchObject({ reason: 'ServiceNotFound', message: `${subject} is not present` });
    const metadata = { namespace: 'default', name: 'other', labels: { 'kubernetes.io/service-name': 'other' } };
    await plane.client.resource(services).create({ metadata, spec: { ports: [{ port: 443 }] } });
    expect(await condition()).toMatchObject({ reason: 'EndpointsNotFound' });
    await plane.client.resource(endpointSlices).create({
      metadata,
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'] }],
      ports: [{ name: '', port: 443 }],
    });
    expect(await condition()).toMatchObject({
      status: 'False',
      reason: 'FailedDiscoveryCheck',
      message: expect.stringContaining('failing or missing response from /apis/other.example.com/v1: '),
    });
  });
});

describe('flow schemas', () => {
  it('say whether their priority level exists', async () => {
    await using plane = await startControlled();
    const handle = plane.client.resource(schemas);
    await handle.create({ metadata: { name: 'mine' }, spec: { priorityLevelConfiguration: { name: 'later' } } });
    const dangling = async () => {
      await plane.quiet();
      return (await handle.get('mine')).status?.conditions?.[0];
    };
    expect(await dangling()).toMatchObject({
      type: 'Dangling',
      status: 'True',
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "later" but there is no such object',
    });
    const level = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
    await plane.client.resource(levels).create({ metadata: { name: 'later' }, spec: level });
    expect(await dangling()).toMatchObject({ status: 'False', reason: 'Found' });
  });
});
