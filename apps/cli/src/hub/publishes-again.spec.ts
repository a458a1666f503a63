import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishesAgain } from './publishes-again.ts';

describe('publishesAgain with a kubeconfig without a CA', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ listen: false });
  });
  afterAll(() => plane.stop());

  const isPublished = () =>
    publishesAgain({
      client: plane.client,
      access: { server: 'https://hub.example.com', origin: 'kubeconfig' },
      async [Symbol.asyncDispose]() {},
    });

  it('publishes an address that is missing, and leaves one that was chosen', async () => {
    expect(await isPublished()).toBe(true);
    const cluster = { server: 'https://chosen.example.com' };
    const kubeconfig = JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: '', cluster }] });
    const namespace = 'kube-public';
    if (!(await plane.client.resource(namespaces).find(namespace)))
      await plane.client.resource(namespaces).create({ metadata: { name: namespace } });
    await plane.client
      .resource(configMaps)
      .create({ metadata: { name: 'cluster-info', namespace }, data: { kubeconfig } });
    expect(await isPublished()).toBe(false);
  });
});
