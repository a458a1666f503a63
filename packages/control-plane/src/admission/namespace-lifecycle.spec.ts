import { KubeError } from '@flotilla/kube';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startTestPlane } from '../../fixtures/test-plane.ts';
import type { AdmissionPlugin } from '../contracts/admission.ts';

const failure = async (promise: Promise<unknown>): Promise<KubeError> =>
  promise.then(
    () => {
      throw new Error('nothing was refused');
    },
    (error) => KubeError.from(error),
  );

describe('NamespaceLifecycle', () => {
  it('refuses an object in a namespace that does not exist', async () => {
    const { client } = await startTestPlane();
    const { apiStatus } = await failure(
      client.resource(configMaps).create({ metadata: { namespace: 'x', name: 'a' } }),
    );
    expect(apiStatus).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "x" not found',
      details: { name: 'x', kind: 'namespaces' },
    });
  });

  it('refuses new content in a namespace that is being terminated, and still lets what is there change', async () => {
    const { client } = await startTestPlane();
    await client.resource(namespaces).create({ metadata: { name: 'x' } });
    const there = await client.resource(configMaps).create({ metadata: { namespace: 'x', name: 'there' } });
    await client.resource(namespaces).delete('x');
    const { apiStatus } = await failure(
      client.resource(configMaps).create({ metadata: { namespace: 'x', name: 'a' } }),
    );
    expect(apiStatus).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "a" is forbidden: unable to create new content in namespace x because it is being terminated',
      details: {
        causes: [
          { reason: 'NamespaceTerminating', message: 'namespace x is being terminated', field: 'metadata.namespace' },
        ],
      },
    });
    const changed = await client.resource(configMaps).replace({ ...there, data: { a: '1' } });
    expect(changed.data).toEqual({ a: '1' });
  });

  it('refuses an object whose namespace is deleted while a webhook decides about it', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const slow: AdmissionPlugin = {
      name: 'Slow',
      handles: ({ info, name }) => info.storage === '/configmaps' && name === 'late',
      validate() {
        asked.resolve();
        return answer.promise;
      },
    };
    const { client, backend, runControllers, quiet } = await startTestPlane({ plugins: [slow] });
    await using _controllers = runControllers();
    await client.resource(namespaces).create({ metadata: { name: 'x' } });
    const refused = failure(client.resource(configMaps).create({ metadata: { namespace: 'x', name: 'late' } }));
    await asked.promise;
    await client.resource(namespaces).delete('x');
    await quiet();
    expect(backend.storage.get('/namespaces', 'x')).toBeUndefined();
    answer.resolve();
    expect((await refused).apiStatus).toMatchObject({ code: 404, message: 'namespaces "x" not found' });
    expect(backend.storage.list('/configmaps', 'x')).toEqual([]);
  });

  it('keeps the namespaces that a cluster cannot be without', async () => {
    const { client } = await startTestPlane();
    for (const name of ['default', 'kube-system']) {
      const { apiStatus } = await failure(client.resource(namespaces).delete(name));
      expect(apiStatus).toMatchObject({
        code: 403,
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      });
    }
  });
});
