import { silentLogger } from '@flotilla/kube';
import { coreEvents, daemonSets, deployments, jobs, statefulSets } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startTestPlane, type TestPlane } from '../../fixtures/test-plane.ts';
import { startSimulator } from './index.ts';

const metadata = { namespace: 'default', name: 'web' };
const selector = { matchLabels: { app: 'web' } };
const template = (image = 'web:1') => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }] },
});

async function startSimulated() {
  const plane = await startTestPlane();
  const simulator = startSimulator({ handler: plane.handler, clock: plane.clock, log: silentLogger });
  await plane.quiet();
  const pass = async (seconds: number): Promise<void> => {
    for (let half = 0; half < seconds * 2; half++) {
      await plane.clock.advance(500);
      await plane.quiet();
    }
  };
  return { ...plane, pass, [Symbol.asyncDispose]: () => simulator.close() };
}

/** `component kind/name Reason: message`, with what is random in names cut off; sorted, as components do not wait for each other. */
async function recorded({ client }: TestPlane): Promise<string[]> {
  const { items } = await client.resource(coreEvents).list({ namespace: 'default' });
  return items
    .map(({ source, reportingComponent, involvedObject, reason, message }) => {
      const who = source?.component ?? reportingComponent;
      return `${who} ${involvedObject.kind}/${involvedObject.name} ${reason}: ${message}`;
    })
    .map((line) =>
      line.replaceAll(/web-[0-9a-z]{8,10}\b/g, 'web-HASH').replaceAll(/-HASH-\d{5}|(?<=web|work)-\d{5}/g, '-POD'),
    )
    .sort();
}

describe('the simulated controllers record events in the words of Kubernetes', () => {
  it('of a deployment, its replica set and its pod', async () => {
    await using plane = await startSimulated();
    await plane.client
      .resource(deployments)
      .create({ metadata, spec: { replicas: 1, selector, template: template() } });
    await plane.pass(2);
    expect(await recorded(plane)).toEqual([
      'default-scheduler Pod/web-POD Scheduled: Successfully assigned default/web-POD to node-1',
      'deployment-controller Deployment/web ScalingReplicaSet: Scaled up replica set web-HASH from 0 to 1',
      'kubelet Pod/web-POD Created: Container created',
      'kubelet Pod/web-POD Pulled: Container image "web:1" already present on machine and can be accessed by the pod',
      'kubelet Pod/web-POD Started: Container started',
      'replicaset-controller ReplicaSet/web-HASH SuccessfulCreate: Created pod: web-POD',
    ]);
    await plane.client.resource(deployments).patch('default/web', { type: 'merge', body: { spec: { replicas: 0 } } });
    await plane.pass(2);
    expect(await recorded(plane)).toEqual(
      expect.arrayContaining([
        'deployment-controller Deployment/web ScalingReplicaSet: Scaled down replica set web-HASH from 1 to 0',
        'replicaset-controller ReplicaSet/web-HASH SuccessfulDelete: Deleted pod: web-POD',
        'kubelet Pod/web-POD Killing: Stopping container web',
      ]),
    );
  });

  it('of a job, a stateful set and a daemon set', async () => {
    await using plane = await startSimulated();
    const { client } = plane;
    const work = { metadata: { labels: { app: 'work' } }, spec: { ...template().spec, restartPolicy: 'Never' } };
    await client.resource(jobs).create({ metadata: { ...metadata, name: 'work' }, spec: { template: work } });
    await client.resource(statefulSets).create({ metadata, spec: { selector, serviceName: '', template: template() } });
    await client.resource(daemonSets).create({ metadata, spec: { selector, template: template() } });
    await plane.pass(4);
    expect(await recorded(plane)).toEqual(
      expect.arrayContaining([
        'job-controller Job/work SuccessfulCreate: Created pod: work-POD',
        'job-controller Job/work Completed: Job completed',
        'statefulset-controller StatefulSet/web SuccessfulCreate: create Pod web-0 in StatefulSet web successful',
        'daemonset-controller DaemonSet/web SuccessfulCreate: Created pod: web-POD',
      ]),
    );
  });

  it('with what the core group says of them', async () => {
    await using plane = await startSimulated();
    const created = await plane.client
      .resource(deployments)
      .create({ metadata, spec: { replicas: 1, selector, template: template() } });
    await plane.pass(2);
    const { items } = await plane.client.resource(coreEvents).list({ namespace: 'default' });
    expect(items.find(({ reason }) => reason === 'ScalingReplicaSet')).toMatchObject({
      metadata: { namespace: 'default', name: expect.stringMatching(/^web\.[0-9a-f]+$/) },
      involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: created.metadata?.uid },
      type: 'Normal',
      count: 1,
      source: { component: 'deployment-controller' },
      reportingComponent: 'deployment-controller',
      firstTimestamp: expect.any(String),
      lastTimestamp: expect.any(String),
    });
    expect(items.find(({ reason }) => reason === 'Started')).toMatchObject({
      involvedObject: { apiVersion: 'v1', kind: 'Pod', fieldPath: 'spec.containers{web}' },
      source: { component: 'kubelet', host: 'node-1' },
    });
  });

  it('and combines those of a large set instead of one for each pod', async () => {
    await using plane = await startSimulated();
    await plane.client
      .resource(deployments)
      .create({ metadata, spec: { replicas: 40, selector, template: template() } });
    await plane.pass(3);
    const { items } = await plane.client.resource(coreEvents).list({ namespace: 'default' });
    const created = items.filter(({ reason }) => reason === 'SuccessfulCreate');
    expect(created).toHaveLength(10);
    const combined = created.filter(({ message }) =>
      message?.startsWith('(combined from similar events): Created pod: '),
    );
    expect(combined).toMatchObject([{ count: 16 }]);
  });
});
