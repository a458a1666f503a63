import { manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createToken, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grpcServerAccess } from './grpc-server.ts';

const server = {
  name: 'system:serviceaccount:open-cluster-management-hub:grpc-server-sa',
  groups: ['system:serviceaccounts', 'system:authenticated'],
};
let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ listen: false, crds: customResourceDefinitions() });
  for (const name of ['open-cluster-management-hub', 'c1']) {
    await plane.client.resource(namespaces).create({ metadata: { name } });
  }
  for (const object of grpcServerAccess()) {
    const { apiVersion = '', kind = '' } = object;
    await (await plane.client.dynamic({ apiVersion, kind })).create(object);
  }
  await plane.client.resource(manifestWorks).create({
    metadata: { namespace: 'c1', name: 'w' },
    spec: { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }] } },
  });
});
afterAll(() => plane.stop());

describe('the account of the gRPC server, with the rights of its role', () => {
  const patch = (body: object) => plane.clientOf(server).resource(manifestWorks).patch('c1/w', { type: 'merge', body });

  it('changes finalizers and the status of a work', async () => {
    const finalizers = ['cluster.open-cluster-management.io/manifest-work-cleanup'];
    expect((await patch({ metadata: { finalizers } })).metadata?.finalizers).toEqual(finalizers);
    const works = plane.clientOf(server).resource(manifestWorks);
    await works.status.patch('c1/w', { type: 'merge', body: { status: { conditions: [] } } });
  });

  it.each([
    ['manifests', { spec: { workload: { manifests: [] } } }],
    ['executor', { spec: { executor: { subject: { type: 'ServiceAccount' } } } }],
    ['labels', { metadata: { labels: { a: 'b' } } }],
    ['annotations', { metadata: { annotations: { a: 'b' } } }],
    ['owners', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: 'c1', uid: 'u' }] } }],
  ])('does not change the %s of a work', async (_, body) => {
    await expect(patch(body)).rejects.toThrow('the gRPC server of the hub changes only the finalizers of works');
  });

  it('requests no token of an account that no add-on grants it', async () => {
    const key = 'open-cluster-management-hub/grpc-server-sa';
    const request = createToken(plane.clientOf(server), key, { expirationSeconds: 600 });
    await expect(request).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
