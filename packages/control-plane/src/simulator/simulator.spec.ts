import { silentLogger } from '@flotilla/kube';
import {
  daemonSets,
  deployments,
  horizontalPodAutoscalers,
  jobs,
  leases,
  nodes,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  scale,
  statefulSets,
} from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startTestPlane, type TestPlane } from '../../fixtures/test-plane.ts';
import { startSimulator } from './index.ts';

const template = (image = 'web:1', fields: object = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }], ...fields },
});
const selector = { matchLabels: { app: 'web' } };
const metadata = { namespace: 'default', name: 'web' };

async function startSimulated(nodeCount = 2) {
  const plane = await startTestPlane();
  const controllers = plane.runControllers();
  await plane.quiet();
  const simulator = startSimulator({ handler: plane.handler, clock: plane.clock, log: silentLogger, nodes: nodeCount });
  await plane.quiet();
  /** Lets time pass in small steps, so that each change is followed by what it causes. */
  const pass = async (seconds: number): Promise<void> => {
    for (let half = 0; half < seconds * 2; half++) {
      await plane.clock.advance(500);
      await plane.quiet();
    }
  };
  return {
    ...plane,
    pass,
    async [Symbol.asyncDispose]() {
      await simulator.close();
      await controllers[Symbol.asyncDispose]();
    },
  };
}

const podNames = async ({ client }: TestPlane): Promise<string[]> =>
  (await client.resource(pods).list({ namespace: 'default' })).items.map((pod) => pod.metadata?.name ?? '');

describe('the simulator', () => {
  it('evicts as many pods as a disruption budget allows, and no more until others are ready', async () => {
    await using plane = await startSimulated();
    const { client } = plane;
    await client.resource(deployments).create({ metadata, spec: { replicas: 3, selector, template: template() } });
    const budgets = client.resource(podDisruptionBudgets);
    await budgets.create({ metadata, spec: { selector, maxUnavailable: '34%' } });
    await budgets.create({
      metadata: { ...metadata, name: 'other' },
      spec: { selector: { matchLabels: { app: 'x' } }, minAvailable: 1 },
    });
    await plane.quiet();
    expect((await budgets.get('default/web')).status).toMatchObject({ currentHealthy: 0, disruptionsAllowed: 0 });
    await plane.pass(2);
    expect((await budgets.get('default/web')).status).toMatchObject({
      observedGeneration: 1,
      expectedPods: 3,
      desiredHealthy: 1,
      currentHealthy: 3,
      disruptionsAllowed: 2,
      conditions: [{ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }],
    });
    expect((await budgets.get('default/other')).status).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 });
    await budgets.patch('default/web', { type: 'merge', body: { spec: { maxUnavailable: 1 } } });
    await plane.quiet();
    const names = await podNames(plane);
    const evict = (name = '') =>
      client.transport.request({
        method: 'POST',
        path: `/api/v1/namespaces/default/pods/${name}/eviction`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }),
      });
    await evict(names[0]);
    await expect(evict(names[1])).rejects.toMatchObject({ status: 429 });
    await plane.pass(5);
    expect((await budgets.get('default/web')).status).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1 });
    await evict(names[1]);
  });

  it('registers nodes that are ready, and renews their leases', async () => {
    await using plane = await startSimulated(1);
    const node = await plane.client.resource(nodes).get('node-1');
    expect(node.status?.allocatable).toMatchObject({ cpu: '8', memory: '32Gi', pods: '110' });
    expect(node.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toContain('Ready=True');
    const before = await plane.client.resource(leases).get('kube-node-lease/node-1');
    await plane.pass(10);
    const after = await plane.client.resource(leases).get('kube-node-lease/node-1');
    expect(after.spec?.renewTime).not.toBe(before.spec?.renewTime);
  });

  it('brings a deployment to its end, with the pods spread over the nodes', async () => {
    await using plane = await startSimulated();
    await plane.client
      .resource(deployments)
      .create({ metadata, spec: { replicas: 4, selector, template: template() } });
    await plane.quiet();
    const starting = await plane.client.resource(deployments).get('default/web');
    expect(starting.status).toMatchObject({
      replicas: 4,
      unavailableReplicas: 4,
      conditions: [{ status: 'False' }, {}],
    });
    await plane.pass(1);
    const { status, metadata: updated } = await plane.client.resource(deployments).get('default/web');
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    });
    expect(status?.unavailableReplicas).toBeUndefined();
    expect(updated?.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '1' });
    const { items } = await plane.client.resource(pods).list({ namespace: 'default' });
    expect(items.map(({ spec }) => spec?.nodeName).sort()).toEqual(['node-1', 'node-1', 'node-2', 'node-2']);
    expect(new Set(items.map((pod) => pod.status?.podIP)).size).toBe(4);
    expect(items[0]?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ name: 'web', ready: true }] });
  });

  it('rolls a deployment to a new template without falling below what must be available', async () => {
    await using plane = await startSimulated();
    const handle = plane.client.resource(deployments);
    await handle.create({ metadata, spec: { replicas: 4, selector, template: template() } });
    await plane.pass(2);
    let least = 4;
    const stop = plane.backend.storage.subscribe('apps/deployments', ({ object }) => {
      const status: { availableReplicas?: number } = Reflect.get(object, 'status') ?? {};
      least = Math.min(least, status.availableReplicas ?? 0);
    });
    await handle.patch('default/web', { type: 'merge', body: { spec: { template: template('web:2') } } });
    await plane.pass(12);
    stop();
    expect(least).toBe(3);
    const { items } = await plane.client.resource(pods).list({ namespace: 'default' });
    expect(items.map(({ spec }) => spec?.containers[0]?.image)).toEqual(['web:2', 'web:2', 'web:2', 'web:2']);
    const sets = (await plane.client.resource(replicaSets).list({ namespace: 'default' })).items;
    expect(sets.map(({ spec }) => spec?.replicas).sort()).toEqual([0, 4]);
    expect((await handle.get('default/web')).metadata?.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '2',
    });
  });

  it('follows the scale of a deployment, and is then silent but for heartbeats', async () => {
    await using plane = await startSimulated();
    await plane.client
      .resource(deployments)
      .create({ metadata, spec: { replicas: 1, selector, template: template() } });
    await plane.pass(2);
    await scale(plane.client, deployments, 'default/web', 3);
    await plane.pass(2);
    expect(await podNames(plane)).toHaveLength(3);
    await scale(plane.client, deployments, 'default/web', 0);
    await plane.pass(3);
    expect(await podNames(plane)).toEqual([]);
    const written: string[] = [];
    for (const resource of ['/pods', 'apps/deployments', 'apps/replicasets', '/nodes']) {
      plane.backend.storage.subscribe(resource, ({ key }) => written.push(`${resource} ${key}`));
    }
    await plane.pass(30);
    expect(written).toEqual([]);
  });

  it('starts the pods of a stateful set one after the other, and ends them from behind', async () => {
    await using plane = await startSimulated();
    await plane.client
      .resource(statefulSets)
      .create({ metadata, spec: { replicas: 3, selector, serviceName: 'web', template: template() } });
    await plane.quiet();
    expect(await podNames(plane)).toEqual(['web-0']);
    await plane.pass(5);
    expect(await podNames(plane)).toEqual(['web-0', 'web-1', 'web-2']);
    expect((await plane.client.resource(statefulSets).get('default/web')).status).toMatchObject({
      readyReplicas: 3,
      updatedReplicas: 3,
    });
    await scale(plane.client, statefulSets, 'default/web', 1);
    await plane.pass(1);
    expect(await podNames(plane)).toEqual(['web-0', 'web-1']);
    await plane.pass(5);
    expect(await podNames(plane)).toEqual(['web-0']);
  });

  it('keeps the pods of a replication controller', async () => {
    await using plane = await startSimulated();
    const handle = plane.client.resource(replicationControllers);
    await handle.create({ metadata, spec: { replicas: 2, selector: { app: 'web' }, template: template() } });
    await plane.pass(2);
    expect((await handle.get('default/web')).status).toMatchObject({ replicas: 2, readyReplicas: 2 });
    await scale(plane.client, replicationControllers, 'default/web', 1);
    await plane.pass(3);
    expect(await podNames(plane)).toHaveLength(1);
  });

  it('reports that an autoscaler has no metrics, and scales nothing', async () => {
    await using plane = await startSimulated();
    const handle = plane.client.resource(horizontalPodAutoscalers);
    await handle.create({
      metadata,
      spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    });
    await plane.quiet();
    expect((await handle.get('default/web')).status?.conditions).toMatchObject([
      {
        type: 'AbleToScale',
        status: 'False',
        reason: 'FailedGetScale',
        message: 'the HPA controller was unable to get the target\'s current scale: deployments.apps "web" not found',
      },
    ]);
    await plane.client
      .resource(deployments)
      .create({ metadata, spec: { replicas: 2, selector, template: template() } });
    await plane.pass(2);
    const { status } = await handle.get('default/web');
    expect(status).toMatchObject({ currentReplicas: 2, desiredReplicas: 0 });
    expect(status?.conditions?.[1]).toMatchObject({
      type: 'ScalingActive',
      status: 'False',
      reason: 'FailedGetResourceMetric',
      message: expect.stringContaining('the server could not find the requested resource (get pods.metrics.k8s.io)'),
    });
    expect(await podNames(plane)).toHaveLength(2);
  });

  it('puts a pod of a daemon set on each node', async () => {
    await using plane = await startSimulated(3);
    await plane.client.resource(daemonSets).create({ metadata, spec: { selector, template: template() } });
    await plane.pass(2);
    const { status } = await plane.client.resource(daemonSets).get('default/web');
    expect(status).toMatchObject({
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberReady: 3,
      numberAvailable: 3,
    });
    const { items } = await plane.client.resource(pods).list({ namespace: 'default' });
    expect(items.map(({ spec }) => spec?.nodeName).sort()).toEqual(['node-1', 'node-2', 'node-3']);
  });

  it('completes a job, no more pods at a time than it allows', async () => {
    await using plane = await startSimulated();
    await plane.client.resource(jobs).create({
      metadata,
      spec: { completions: 3, parallelism: 2, template: template('job:1', { restartPolicy: 'Never' }) },
    });
    await plane.quiet();
    expect(await podNames(plane)).toHaveLength(2);
    await plane.pass(8);
    const { status } = await plane.client.resource(jobs).get('default/web');
    expect(status).toMatchObject({ succeeded: 3, ready: 0, completionTime: expect.any(String) });
    expect(status?.active).toBeUndefined();
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(await podNames(plane)).toHaveLength(3);
  });

  it('ends deleted pods gracefully, and brings back those that something wants', async () => {
    await using plane = await startSimulated();
    await plane.client
      .resource(deployments)
      .create({ metadata, spec: { replicas: 1, selector, template: template() } });
    await plane.pass(2);
    const [name = ''] = await podNames(plane);
    await plane.client.resource(pods).delete(`default/${name}`);
    await plane.quiet();
    expect((await plane.client.resource(pods).get(`default/${name}`)).metadata?.deletionTimestamp).toBeDefined();
    await plane.pass(2);
    const after = await podNames(plane);
    expect(after).toHaveLength(1);
    expect(after).not.toContain(name);
  });

  it('deletes the dependents of a deployment with it', async () => {
    await using plane = await startSimulated();
    await plane.client
      .resource(deployments)
      .create({ metadata, spec: { replicas: 2, selector, template: template() } });
    await plane.pass(2);
    await plane.client.resource(deployments).delete('default/web', { propagationPolicy: 'Foreground' });
    await plane.pass(3);
    expect(await podNames(plane)).toEqual([]);
    expect(await plane.client.resource(deployments).find('default/web')).toBeUndefined();
  });
});
