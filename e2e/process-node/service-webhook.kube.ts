import { realClock } from '@flotilla/kube';
import { configMaps, deployments, secrets, services, validatingWebhookConfigurations } from '@flotilla/kube/kinds';
import { makeServingPair } from '@flotilla/kube/pki';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { hasEndpoints, type NodeCluster, networks, noEndpoints, startNodeCluster } from './node-cluster.ts';

const namespace = 'default';
const dayMs = 86_400_000;
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };

const cases = serverKinds.flatMap((kind) => networks.map((network) => [kind, network] as const));

describe.each(cases)('a webhook that runs in a pod on %s, with the network of a %s', (kind, network) => {
  let cluster: NodeCluster;
  beforeAll(async () => {
    cluster = await startNodeCluster(kind, { network });
  }, 60_000);
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test('is reached by the endpoints of its Service, with the certificate of a mounted Secret', async ({ skip }) => {
    skip(!hasEndpoints(kind, cluster), noEndpoints);
    const { client } = cluster.server;
    const pair = await makeServingPair([`deny.${namespace}.svc`], { now: realClock.now(), lifeMs: dayMs });
    await client.resource(secrets).create({
      metadata: { namespace, name: 'deny-tls' },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': pair.certificate, 'tls.key': pair.key },
    });
    await client.resource(deployments).create({
      metadata: { namespace, name: 'deny' },
      spec: {
        selector: { matchLabels: { app: 'deny' } },
        template: {
          metadata: { labels: { app: 'deny' } },
          spec: {
            volumes: [{ name: 'tls', secret: { secretName: 'deny-tls' } }],
            containers: [
              {
                name: 'main',
                image: 'deny',
                args: ['/etc/tls'],
                volumeMounts: [{ name: 'tls', mountPath: '/etc/tls' }],
                readinessProbe: { httpGet: { port: 9443, scheme: 'HTTPS' } },
              },
            ],
          },
        },
      },
    });
    await client.resource(services).create({
      metadata: { namespace, name: 'deny' },
      spec: { selector: { app: 'deny' }, ports: [{ port: 443, targetPort: 9443 }] },
    });
    const caBundle = Buffer.from(pair.ca).toString('base64');
    await client.resource(validatingWebhookConfigurations).create({
      metadata: { name: 'deny' },
      webhooks: [
        {
          name: 'deny.example.com',
          clientConfig: { caBundle, service: { namespace, name: 'deny' } },
          rules: [rule],
          objectSelector: { matchLabels: { deny: 'yes' } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const create = () =>
      client
        .resource(configMaps)
        .create({ metadata: { namespace, generateName: 'x-', labels: { deny: 'yes' } } }, { dryRun: true });
    // Until the pod is ready the server answers that the Service has no endpoints.
    await vi.waitFor(() => expect(create()).rejects.toThrow(/"deny.example.com" denied the request: a pod says no/), {
      timeout: 30_000,
      interval: 200,
    });
  });
});
