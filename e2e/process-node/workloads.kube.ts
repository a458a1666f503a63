import { createKubeClient, realClock, staticAccess } from '@flotilla/kube';
import {
  type Deployment,
  deployments,
  type Job,
  jobs,
  leases,
  nodes,
  pods,
  secrets,
  services,
} from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { hasEndpoints, type NodeCluster, noEndpoints, startNodeCluster } from './node-cluster.ts';

const eventually = <T>(read: () => Promise<T>) => vi.waitFor(read, { timeout: 30_000, interval: 100 });

const web = (text: string): Deployment => ({
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'web',
            args: [text],
            ports: [{ name: 'http', containerPort: 8080 }],
            readinessProbe: { httpGet: { port: 'http' } },
          },
        ],
      },
    },
  },
});

describe.each(serverKinds)('a process node on %s', (kind) => {
  let cluster: NodeCluster;
  beforeAll(async () => {
    cluster = await startNodeCluster(kind);
  }, 60_000);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const rolledOut = (generation: number) =>
    eventually(async () => {
      const { status } = await cluster.server.client.resource(deployments).get('default/web');
      expect(status).toMatchObject({
        observedGeneration: generation,
        replicas: 2,
        updatedReplicas: 2,
        availableReplicas: 2,
      });
    });

  test('is a Node with a lease', async () => {
    const { client } = cluster.server;
    const node = await client.resource(nodes).get(cluster.node.name);
    expect(node.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect((await client.resource(leases).get(`kube-node-lease/${cluster.node.name}`)).spec?.holderIdentity).toBe(
      cluster.node.name,
    );
  });

  test('runs a Deployment behind a load balancer, updates it, and removes it with nothing left', async ({ skip }) => {
    skip(!hasEndpoints(kind, cluster), noEndpoints);
    const { client } = cluster.server;
    await client.resource(deployments).create(web('one'));
    await client.resource(services).create({
      metadata: { namespace: 'default', name: 'web' },
      spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 8000, targetPort: 'http' }] },
    });
    await rolledOut(1);
    const address = await eventually(async () => {
      const ip = (await client.resource(services).get('default/web')).status?.loadBalancer?.ingress?.[0]?.ip;
      expect(ip).toBeDefined();
      return ip;
    });
    const ask = async () => (await fetch(`http://${address}:8000/`, { headers: { connection: 'close' } })).text();
    await eventually(async () => expect(await ask()).toBe('one'));
    await client.resource(deployments).patch('default/web', { type: 'merge', body: { spec: web('two').spec } });
    await rolledOut(2);
    await eventually(async () => expect(await ask()).toBe('two'));
    await client.resource(deployments).delete('default/web');
    await client.resource(services).delete('default/web');
    await eventually(async () =>
      expect((await client.resource(pods).list({ labelSelector: 'app=web' })).items).toEqual([]),
    );
  });

  test('gives a pod its service account, with which it reads what it may', async () => {
    const { client, access } = cluster.server;
    await client.resource(pods).create({
      metadata: { namespace: 'default', name: 'token' },
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'main', image: 'shell', args: ['cat /var/run/secrets/kubernetes.io/serviceaccount/token'] },
        ],
      },
    });
    await eventually(async () =>
      expect((await client.resource(pods).get('default/token')).status?.phase).toBe('Succeeded'),
    );
    const path = '/api/v1/namespaces/default/pods/token/log';
    const token = (await client.transport.request({ method: 'GET', path })).body.trim();
    const { server, ca } = access;
    const credentials = { server, ...(ca !== undefined && { ca }), authorization: `Bearer ${token}`, origin: 'a pod' };
    await using pod = createKubeClient({ access: staticAccess(credentials), clock: realClock });
    const review = {
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
      headers: { 'content-type': 'application/json' },
    } as const;
    expect(JSON.parse((await pod.transport.request(review)).body).status.userInfo).toMatchObject({
      username: 'system:serviceaccount:default:default',
      extra: { 'authentication.kubernetes.io/pod-name': ['token'] },
    });
    await expect(pod.resource(secrets).list({ namespace: 'default' })).rejects.toThrow(/forbidden/);
  });

  test('completes a Job, and fails one whose pods fail', async () => {
    const { client } = cluster.server;
    const job = (name: string, script: string): Job => ({
      metadata: { namespace: 'default', name },
      spec: {
        backoffLimit: 0,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'shell', args: [script] }] } },
      },
    });
    await client.resource(jobs).create(job('good', 'exit 0'));
    await client.resource(jobs).create(job('bad', 'exit 7'));
    const isSo = (name: string, type: string) =>
      eventually(async () => {
        const { status } = await client.resource(jobs).get(`default/${name}`);
        expect(status?.conditions?.some((condition) => condition.type === type && condition.status === 'True')).toBe(
          true,
        );
      });
    await isSo('good', 'Complete');
    await isSo('bad', 'Failed');
  });
});
