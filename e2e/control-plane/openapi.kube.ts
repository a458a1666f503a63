import { isDeepStrictEqual } from 'node:util';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { type Cluster, startCluster } from '@flotilla/envtest';
import { type KubeClient, KubeError } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Schemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const definition: KubeObject & { spec: object } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A widget.',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                properties: {
                  replicas: { type: 'integer', default: 1, minimum: 0, maximum: 10 },
                  port: { 'x-kubernetes-int-or-string': true, description: 'A number or a name.' },
                  nullable: { type: 'string', nullable: true, enum: ['a', 'b'] },
                  nullableObject: { type: 'object', nullable: true, properties: { a: { type: 'string' } } },
                  any: { 'x-kubernetes-preserve-unknown-fields': true },
                  half: {
                    type: 'object',
                    'x-kubernetes-preserve-unknown-fields': true,
                    properties: { a: { type: 'string' } },
                  },
                  one: {
                    type: 'object',
                    oneOf: [{ required: ['a'] }, { required: ['b'] }],
                    properties: { a: { type: 'string', pattern: '^a' }, b: { type: 'string', format: 'date-time' } },
                  },
                  list: {
                    type: 'array',
                    maxItems: 3,
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string', maxLength: 5 } },
                    },
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                  },
                  map: { type: 'object', additionalProperties: { type: 'string' } },
                  template: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

let cluster: Cluster;
let plane: ControlPlane;
beforeAll(async () => {
  [cluster, plane] = await Promise.all([
    startCluster({ crds: [definition] }),
    startControlPlane({ listen: false, crds: [definition] }),
  ]);
});
afterAll(() => Promise.all([cluster?.stop(), plane?.stop()]));

async function read(client: KubeClient, path: string): Promise<Record<string, unknown>> {
  const { body } = await client.transport.request({ method: 'GET', path, headers: { accept: 'application/json' } });
  return JSON.parse(body);
}

/** The definitions of `/openapi/v2`; the real server publishes those of custom resources a little later. */
async function definitions(client: KubeClient): Promise<Schemas> {
  const poll = expect.poll(async () => ((await read(client, '/openapi/v2')) as { definitions: Schemas }).definitions, {
    timeout: 30_000,
  });
  await poll.toHaveProperty(['com.example.v1.Widget']);
  return ((await read(client, '/openapi/v2')) as { definitions: Schemas }).definitions;
}

/** Without what the two may say differently: unions that no client uses, and group versions that only one of them has. */
const comparable = (schema: object | undefined): unknown =>
  JSON.parse(
    JSON.stringify(schema ?? {}, (key, value) =>
      key === 'x-kubernetes-unions' || key === 'x-kubernetes-group-version-kind' ? undefined : value,
    ),
  );

describe('OpenAPI v2 of the embedded control plane', () => {
  it('defines each kind that it has as kube-apiserver does, word for word', async () => {
    const [real, ours] = await Promise.all([definitions(cluster.client), definitions(plane.client)]);
    const names = Object.keys(ours);
    expect(names.length).toBeGreaterThan(300);
    const differing = names.filter((name) => !isDeepStrictEqual(comparable(ours[name]), comparable(real[name])));
    expect(differing).toEqual([]);
  });

  it('is refused in a form that neither has', async () => {
    for (const client of [cluster.client, plane.client]) {
      const refused = client.transport.request({
        method: 'GET',
        path: '/openapi/v2',
        headers: { accept: 'text/html' },
      });
      await expect(refused).rejects.toSatisfy((error) => KubeError.from(error).status === 406);
    }
  });
});
