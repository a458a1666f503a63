import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { ensureBinaries } from '@flotilla/envtest';
import { deployments, endpointSlices, jobs, leases, pods, replicaSets, services } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

// Kubernetes' own controllers as they are: the longest-tried users of client-go.
const controllers = ['deployment', 'replicaset', 'statefulset', 'daemonset', 'job', 'endpointslice'];
const pollOptions = { timeout: 30_000, interval: 50 };

let directory: string;
let plane: ControlPlane;
let manager: ChildProcess;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-controller-manager-'));
  const kubeconfigPath = join(directory, 'kubeconfig.yaml');
  plane = await startControlPlane({ kubeconfigPath });
  const flags = {
    kubeconfig: kubeconfigPath,
    controllers: controllers.map((name) => `${name}-controller`).join(','),
    // No server of its own: it gets no requests.
    'secure-port': '0',
    'leader-elect': 'true',
  };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  manager = spawn((await ensureBinaries()).path('kube-controller-manager'), args, { stdio: 'ignore' });
});
afterAll(async () => {
  if (manager?.exitCode === null) {
    const exited = once(manager, 'exit');
    manager.kill();
    await exited;
  }
  await plane?.stop();
  await rm(directory, { recursive: true, force: true });
});

const namespace = 'default';
const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image: 'main:1', ports: [{ containerPort: 80 }] }] },
});
const podsOf = async (labelSelector: string) =>
  (await plane.client.resource(pods).list({ namespace, labelSelector })).items;

/** What a node would say of a pod that it runs. */
async function run(labelSelector: string, phase: 'Running' | 'Succeeded', address: string): Promise<void> {
  const [pod] = await podsOf(labelSelector);
  const ready = { type: 'Ready', status: phase === 'Running' ? 'True' : 'False' };
  const status = { phase, podIP: address, podIPs: [{ ip: address }], conditions: [ready] };
  const key = `${namespace}/${pod?.metadata?.name}`;
  await plane.client.resource(pods).status.patch(key, { type: 'merge', body: { status } });
}

it('lets it lead', async () => {
  await vi.waitFor(async () => {
    const lease = await plane.client.resource(leases).get('kube-system/kube-controller-manager');
    expect(lease.spec?.holderIdentity).toMatch(/_/);
  }, pollOptions);
});

it('has it roll out a deployment, serve it and take it away', async () => {
  const { client } = plane;
  const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template('web') };
  await client.resource(deployments).create({ metadata: { name: 'web', namespace }, spec });
  // Else it would wait for the node of the pod.
  const selected = { selector: { app: 'web' }, publishNotReadyAddresses: true };
  await client
    .resource(services)
    .create({ metadata: { name: 'web', namespace }, spec: { ...selected, ports: [{ port: 80 }] } });
  await vi.waitFor(async () => expect(await podsOf('app=web')).toHaveLength(1), pollOptions);
  await run('app=web', 'Running', '10.1.2.3');
  await vi.waitFor(async () => {
    const { status } = await client.resource(deployments).get(`${namespace}/web`);
    expect(status).toMatchObject({ observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1 });
    const labelSelector = 'kubernetes.io/service-name=web';
    const slices = await client.resource(endpointSlices).list({ namespace, labelSelector });
    expect(slices.items.flatMap(({ endpoints }) => endpoints?.flatMap(({ addresses }) => addresses))).toEqual([
      '10.1.2.3',
    ]);
  }, pollOptions);

  const image = { spec: { template: { spec: { containers: [{ name: 'main', image: 'main:2' }] } } } };
  await client.resource(deployments).patch(`${namespace}/web`, { type: 'strategic', body: image });
  await vi.waitFor(async () => {
    expect((await client.resource(replicaSets).list({ namespace })).items).toHaveLength(2);
  }, pollOptions);
  await client.resource(deployments).delete(`${namespace}/web`);
  await vi.waitFor(async () => {
    expect((await client.resource(replicaSets).list({ namespace })).items).toEqual([]);
    expect(await podsOf('app=web')).toEqual([]);
  }, pollOptions);
});

it('has it complete a job', async () => {
  const { client } = plane;
  const job = template('once');
  const spec = { template: { ...job, spec: { ...job.spec, restartPolicy: 'Never' } } };
  await client.resource(jobs).create({ metadata: { name: 'once', namespace }, spec });
  await vi.waitFor(async () => expect(await podsOf('job-name=once')).toHaveLength(1), pollOptions);
  await run('job-name=once', 'Succeeded', '10.1.2.4');
  await vi.waitFor(async () => {
    const { status } = await client.resource(jobs).get(`${namespace}/once`);
    expect(status).toMatchObject({ succeeded: 1, completionTime: expect.any(String) });
    expect(status?.conditions?.map(({ type }) => type)).toContain('Complete');
  }, pollOptions);
  expect(manager.exitCode).toBeNull();
});
