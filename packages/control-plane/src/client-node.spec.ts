import { type AccessSource, createKubeClient, kubeconfigAccess, staticAccess } from '@flotilla/kube';
import { apiConfiguration, kubeConfigAccess, reloadingKubeConfig } from '@flotilla/kube/client-node';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { temporaryDirectory } from '@flotilla/kube/testing';
import {
  ApiException,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from './index.ts';

let plane: ControlPlane;
let access: AccessSource;
beforeAll(async () => {
  plane = await startControlPlane();
  await using directory = await temporaryDirectory();
  access = kubeconfigAccess({ files: await directory.write('config', plane.kubeconfig) });
  await access.current();
});
afterAll(async () => {
  access?.close();
  await plane?.stop();
});

const namespace = 'default';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } });

describe('a KubeConfig of client-node', () => {
  it('is access for a client of ours', async () => {
    const config = new KubeConfig();
    config.loadFromString(plane.kubeconfig);
    const source = kubeConfigAccess(config);
    await using client = createKubeClient({ access: source });
    const { items } = await client.resource(namespaces).list();
    expect(items.map(({ metadata }) => metadata?.name)).toContain('default');
    source.close();
  });

  it('without a cluster is a configuration error', async () => {
    const source = kubeConfigAccess(new KubeConfig());
    await expect(source.current()).rejects.toMatchObject({ code: 'Config' });
    source.close();
  });
});

describe('classes of client-node over our transport', () => {
  it('read and write, and throw their own exceptions', async () => {
    await using client = createKubeClient({ access });
    const core = new CoreV1Api(apiConfiguration(client));
    const body = configMap('typed');
    const made = await core.createNamespacedConfigMap({ namespace, body });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const refused = core.createNamespacedConfigMap({ namespace, body });
    await expect(refused).rejects.toBeInstanceOf(ApiException);
    await expect(refused).rejects.toMatchObject({ code: 409 });
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: 'typed', body: { data: { a: '1' } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    expect(patched.data).toEqual({ a: '1' });
    expect(await core.readNamespacedConfigMap({ namespace, name: 'typed' })).toMatchObject({ data: { a: '1' } });
  });

  it('read objects of any kind', async () => {
    await using client = createKubeClient({ access });
    const config = await reloadingKubeConfig(client, access);
    const objects = KubernetesObjectApi.makeApiClient(config);
    await objects.create(configMap('untyped'));
    expect(await client.resource(configMaps).get('default/untyped')).toMatchObject({ kind: 'ConfigMap' });
  });
});

describe('a KubeConfig over our credentials', () => {
  it('serves informers of client-node', async () => {
    await using client = createKubeClient({ access });
    const config = await reloadingKubeConfig(client, access);
    const core = config.makeApiClient(CoreV1Api);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const informer = makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
    const added = new Promise<void>((resolve, reject) => {
      informer.on('add', (object) => object.metadata?.name === 'followed' && resolve());
      informer.on('error', reject);
    });
    await informer.start();
    await client.resource(configMaps).create(configMap('followed'));
    await added;
    await informer.stop();
  });

  it('takes new credentials for the next connection', async () => {
    const tokens = ['first', 'second'];
    const { origin, server } = await access.current();
    const changing = { current: async () => ({ origin, server, authorization: `Bearer ${tokens[0]}` }) };
    await using client = createKubeClient({ access: staticAccess({ origin, server }) });
    const config = await reloadingKubeConfig(client, changing);
    const authorization = async () => {
      const options: { headers?: Record<string, string> } = {};
      await config.applyToHTTPSOptions(options);
      return options.headers?.Authorization;
    };
    expect(await authorization()).toBe('Bearer first');
    tokens.shift();
    expect(await authorization()).toBe('Bearer second');
  });
});
