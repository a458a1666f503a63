import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { KubeError } from '@flotilla/kube';
import { configMaps, namespaces, secrets, serviceAccounts } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type RenderOptions, renderersOf, valuesFor } from './renderers.ts';

const options: RenderOptions = {
  hubApiserverUrl: 'https://hub.example.com',
  agentImage: '',
  bootstrapServiceaccount: 'open-cluster-management/agent-registration-bootstrap',
  importRenderers: ['render-auto'],
  namespace: 'open-cluster-management-hub',
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');

let hub: ControlPlane;
beforeEach(async () => {
  hub = await startControlPlane({ listen: false, clock: new FakeClock() });
  for (const name of ['c1', 'open-cluster-management', options.namespace]) {
    await hub.client.resource(namespaces).create({ metadata: { name } });
  }
  const metadata = { namespace: 'open-cluster-management', name: 'agent-registration-bootstrap' };
  await hub.client.resource(serviceAccounts).create({ metadata });
});
afterEach(() => hub.stop());

describe('renderers', () => {
  const values = (more: Partial<RenderOptions> = {}) =>
    valuesFor(hub.client, 'c1', renderersOf({ ...options, ...more }));

  it('[registration-hub 122] are those of the list, and those of render-auto without one', () => {
    const count = (importRenderers: string[]) => renderersOf({ ...options, importRenderers }).length;
    expect(count([])).toBe(3);
    expect(count(['render-auto'])).toBe(3);
    expect(count(['render-from-config-secret'])).toBe(1);
    expect(() => count(['unknown-renderer'])).toThrow('unknown importer renderer unknown-renderer');
  });

  it('[registration-hub 118] find the hub by the flag, or by what it publishes', async () => {
    const serverOf = async (more: Partial<RenderOptions>) =>
      parse((await values(more)).bootstrapHubKubeConfig).clusters[0].cluster.server;
    expect(await serverOf({})).toBe('https://hub.example.com');
    await expect(values({ hubApiserverUrl: '' })).rejects.toSatisfy((error) => KubeError.is(error, 'Config'));
    await hub.client
      .resource(namespaces)
      .create({ metadata: { name: 'kube-public' } })
      .catch(() => undefined);
    const info = 'clusters: [{name: "", cluster: {server: "https://published", certificate-authority-data: Y2E=}}]';
    await hub.client
      .resource(configMaps)
      .create({ metadata: { namespace: 'kube-public', name: 'cluster-info' }, data: { kubeconfig: info } });
    expect(await serverOf({ hubApiserverUrl: '' })).toBe('https://published');
  });

  it('[registration-hub 119, 120] take the image and the pull secret of the hub', async () => {
    expect((await values()).images.overrides.operatorImage).toBe('');
    expect((await values({ agentImage: 'mirror/operator' })).images.overrides.operatorImage).toBe('mirror/operator');
    expect((await values()).images.imageCredentials.createImageCredentials).toBe(false);
    const metadata = { namespace: options.namespace, name: 'open-cluster-management-image-pull-credentials' };
    await hub.client.resource(secrets).create({ metadata, data: { '.dockerconfigjson': base64('{}') } });
    expect((await values()).images.imageCredentials).toMatchObject({
      createImageCredentials: true,
      dockerConfigJson: '{}',
    });
  });

  it('[registration-hub 121] refuse values that the chart does not have', async () => {
    const put = (text: string) =>
      hub.client.resource(secrets).apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace: 'c1', name: 'cluster-import-config' },
          data: { 'values.yaml': base64(text) },
        },
        { fieldManager: 'test', force: true },
      );
    const fromSecret = () => values({ importRenderers: ['render-auto', 'render-from-config-secret'] });
    await put('{');
    await expect(fromSecret()).rejects.toThrow('is not YAML');
    await put('klusterlet: {modus: Default}');
    await expect(fromSecret()).rejects.toThrow('klusterlet.modus is not a value of this chart');
    await put('priorityClassName: high');
    expect(await fromSecret()).toMatchObject({
      priorityClassName: 'high',
      replicaCount: 1,
      bootstrapHubKubeConfig: expect.stringContaining('https://hub.example.com'),
    });
  });
});
