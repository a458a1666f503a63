import { type Deployment, deployments, endpointSlices, type Job, jobs, pods, services } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestNode, type TestNode } from './fixtures/test-node.ts';

/** Answers with its own version on the pod's address; finishes what it was asked before it ends. */
const server = (version: string) => {
  const lines = [
    `const server = require('http').createServer((_, answer) => answer.end('${version}'));`,
    `process.on('SIGTERM', () => server.close());`,
    `server.listen(8080, process.env.IP);`,
  ];
  return `exec ${process.execPath} -e "${lines.join(' ')}"`;
};

const deployment = (version: string): Deployment => ({
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 2,
        containers: [
          {
            name: 'main',
            image: 'shell',
            args: [server(version)],
            env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
            ports: [{ name: 'http', containerPort: 8080 }],
            readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 5 },
          },
        ],
      },
    },
  },
});

describe('workloads on a process node', () => {
  let test: TestNode;
  beforeAll(async () => {
    test = await startTestNode();
  });
  afterAll(() => test[Symbol.asyncDispose]());
  const eventually = <T>(read: () => Promise<T>) => vi.waitFor(read, { timeout: 20_000, interval: 50 });
  const isRolledOut = async (generation: number) => {
    const { status, spec } = await test.plane.client.resource(deployments).get('default/web');
    expect(status?.observedGeneration).toBe(generation);
    expect(status).toMatchObject({
      replicas: spec?.replicas,
      updatedReplicas: spec?.replicas,
      availableReplicas: spec?.replicas,
    });
  };

  it('runs a Deployment behind a Service, updates it without a gap, and removes it', async () => {
    const { client } = test.plane;
    await client.resource(deployments).create(deployment('one'));
    await client.resource(services).create({
      metadata: { namespace: 'default', name: 'web' },
      spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 8000, targetPort: 'http' }] },
    });
    await eventually(() => isRolledOut(1));
    const address = await eventually(async () => {
      const { status } = await client.resource(services).get('default/web');
      const ip = status?.loadBalancer?.ingress?.[0]?.ip ?? '';
      expect(ip).not.toBe('');
      return ip;
    });
    const ask = async () => (await fetch(`http://${address}:8000/`, { headers: { connection: 'close' } })).text();
    await eventually(async () => expect(await ask()).toBe('one'));

    const seen = new Set<string>();
    let isUpdated = false;
    const asking = (async () => {
      while (!isUpdated) seen.add(await ask());
    })();
    const { spec } = deployment('two');
    await client.resource(deployments).patch('default/web', { type: 'merge', body: { spec } });
    await eventually(() => isRolledOut(2));
    await eventually(async () => expect(await ask()).toBe('two'));
    isUpdated = true;
    await asking;
    expect([...seen].every((version) => ['one', 'two'].includes(version))).toBe(true);

    await client.resource(deployments).delete('default/web');
    await eventually(async () =>
      expect((await client.resource(pods).list({ namespace: 'default' })).items).toEqual([]),
    );
    await eventually(async () => {
      const [slice] = (
        await client
          .resource(endpointSlices)
          .list({ namespace: 'default', labelSelector: 'kubernetes.io/service-name=web' })
      ).items;
      expect(slice?.endpoints ?? []).toEqual([]);
    });
  });

  const job = (name: string, script: string, backoffLimit: number): Job => ({
    metadata: { namespace: 'default', name },
    spec: {
      backoffLimit,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'shell', args: [script] }] } },
    },
  });

  it.each([
    ['ends well', job('good', 'exit 0', 0), 'Complete', 'CompletionsReached'],
    ['fails', job('bad', 'exit 1', 0), 'Failed', 'BackoffLimitExceeded'],
  ])('reports a Job whose pod %s', async (_how, object, type, reason) => {
    const handle = test.plane.client.resource(jobs);
    await handle.create(object);
    await eventually(async () => {
      const { status } = await handle.get(`default/${object.metadata?.name}`);
      expect(status?.conditions?.find((condition) => condition.type === type)).toMatchObject({
        status: 'True',
        reason,
      });
    });
  });
});
