import { KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { asking, jsonOf } from '../../fixtures/path-request.ts';
import { builtInResources } from '../schema/built-in.ts';
import { createRegistry } from '../schema/registry.ts';
import { discoveryHandlers } from './handlers.ts';

const ask = asking(
  discoveryHandlers({
    registry: createRegistry(builtInResources()),
    clock: new FakeClock(),
    serverAddress: () => '127.0.0.1:6443',
    platform: 'linux/amd64',
    health: { live: [{ name: 'storage', check: () => undefined }], ready: [] },
  }),
);

describe('/version', () => {
  it('is the release of Kubernetes, marked as ours so that version skew is still computed', async () => {
    expect(jsonOf(await ask('/version'))).toMatchObject({
      major: '1',
      minor: expect.stringMatching(/^\d+$/),
      gitVersion: expect.stringMatching(/^v1\.\d+\.\d+\+flotilla$/),
      platform: 'linux/amd64',
    });
  });

  it('is JSON and is only read', async () => {
    await expect(ask('/version', { accept: 'application/yaml' })).rejects.toSatisfy((error) =>
      KubeError.is(error, 'NotAcceptable'),
    );
    await expect(ask('/version', {}, 'POST')).rejects.toSatisfy((error) => KubeError.is(error, 'MethodNotAllowed'));
  });
});

describe('the index at /', () => {
  it('lists groups, versions and health checks in order', async () => {
    const { paths } = jsonOf(await ask('/')) as { paths: string[] };
    expect(paths).toEqual(
      expect.arrayContaining(['/api/v1', '/apis/apps', '/apis/apps/v1', '/livez/storage', '/openapi/v3', '/version']),
    );
    expect(paths).toEqual(paths.toSorted());
  });

  it('lists only paths that answer', async () => {
    const { paths } = jsonOf(await ask('/')) as { paths: string[] };
    const elsewhere = ['/.well-known/openid-configuration', '/openid/v1/jwks']; // Served by authn.
    for (const path of paths.filter((candidate) => !elsewhere.includes(candidate) && candidate !== '/openapi/v3/')) {
      expect(await ask(path), path).toMatchObject({ status: 200 });
    }
  });
});
