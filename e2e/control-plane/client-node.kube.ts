import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { type Cluster, startCluster } from '@flotilla/envtest';
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  AuthenticationV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  Health,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

let cluster: Cluster;
let plane: ControlPlane;
beforeAll(async () => {
  [cluster, plane] = await Promise.all([startCluster(), startControlPlane()]);
});
afterAll(async () => {
  await Promise.all([cluster?.stop(), plane?.stop()]);
});

const pollOptions = { timeout: 20_000, interval: 20 };
const namespace = 'default';
const as = (strategy: PatchStrategy) => setHeaderOptions('Content-Type', strategy);
/** What an exception of this client says of the answer. */
const refusal = (code: number, reason: string) =>
  expect.objectContaining({ code, body: expect.stringContaining(`"reason":"${reason}"`) });

// The expectations are right if the real server meets them.
describe.each([
  ['the embedded control plane', () => plane.kubeconfig],
  ['kube-apiserver', () => cluster.kubeconfig],
])('@kubernetes/client-node on %s', (_, kubeconfig) => {
  let config: KubeConfig;
  let core: CoreV1Api;
  beforeAll(() => {
    config = new KubeConfig();
    config.loadFromString(kubeconfig());
    core = config.makeApiClient(CoreV1Api);
  });

  it('creates, reads, lists, replaces and deletes', async () => {
    const body = { metadata: { name: 'written', labels: { app: 'written' } }, data: { a: '1' } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    await expect(core.createNamespacedConfigMap({ namespace, body })).rejects.toBeInstanceOf(ApiException);
    await expect(core.createNamespacedConfigMap({ namespace, body })).rejects.toEqual(refusal(409, 'AlreadyExists'));

    const replaced = await core.replaceNamespacedConfigMap({ namespace, name: 'written', body: { ...made, data: {} } });
    expect(replaced.metadata?.resourceVersion).not.toBe(made.metadata?.resourceVersion);
    const old = core.replaceNamespacedConfigMap({ namespace, name: 'written', body: made });
    await expect(old).rejects.toEqual(refusal(409, 'Conflict'));

    const { items } = await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=written' });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['written']);
    const first = await core.listNamespace({ limit: 1 });
    const second = await core.listNamespace({ limit: 1, _continue: first.metadata?._continue });
    expect(second.items).not.toEqual(first.items);

    const status = await core.deleteNamespacedConfigMap({ namespace, name: 'written' });
    expect(status.status).toBe('Success');
    const gone = core.readNamespacedConfigMap({ namespace, name: 'written' });
    await expect(gone).rejects.toEqual(refusal(404, 'NotFound'));
  });

  it('patches in four ways', async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const name = 'patched';
    const container = { name: 'main', image: 'main:1' };
    const spec = {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    };
    await apps.createNamespacedDeployment({ namespace, body: { metadata: { name }, spec } });
    const patch = (body: object, strategy: PatchStrategy) =>
      apps.patchNamespacedDeployment({ namespace, name, body }, as(strategy));
    await patch([{ op: 'replace', path: '/spec/replicas', value: 2 }], PatchStrategy.JsonPatch);
    await patch({ metadata: { annotations: { a: 'b' } } }, PatchStrategy.MergePatch);
    const added = { spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } } };
    await patch(added, PatchStrategy.StrategicMergePatch);
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 3 } };
    const apply = (fieldManager: string, force?: boolean) =>
      apps.patchNamespacedDeployment(
        { namespace, name, fieldManager, force, body: { ...body, metadata: { name } } },
        as(PatchStrategy.ServerSideApply),
      );
    await expect(apply('suite')).rejects.toEqual(refusal(409, 'Conflict'));
    const { metadata, spec: patched } = await apply('suite', true);
    expect(metadata?.annotations).toMatchObject({ a: 'b' });
    expect(patched?.replicas).toBe(3);
    expect(patched?.template.spec?.containers.map((one) => one.image).sort()).toEqual(['main:1', 'side:1']);
    await apps.deleteNamespacedDeployment({ namespace, name });
  });

  it('watches until it is aborted', async () => {
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    const events: string[] = [];
    const ended = Promise.withResolvers<unknown>();
    const watching = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion: metadata?.resourceVersion, allowWatchBookmarks: true, labelSelector: 'app=watched' },
      (type, object) => events.push(`${type} ${object.metadata.name}`),
      ended.resolve,
    );
    const body = { metadata: { name: 'watched', labels: { app: 'watched' } } };
    await core.createNamespacedConfigMap({ namespace, body });
    await core.patchNamespacedConfigMap(
      { namespace, name: 'watched', body: { data: {} } },
      as(PatchStrategy.MergePatch),
    );
    const data = { data: { a: '1' } };
    await core.patchNamespacedConfigMap({ namespace, name: 'watched', body: data }, as(PatchStrategy.MergePatch));
    await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
    await vi.waitFor(() => expect(events.at(-1)).toBe('DELETED watched'), pollOptions);
    expect(new Set(events)).toEqual(new Set(['ADDED watched', 'MODIFIED watched', 'DELETED watched']));
    watching.abort();
    expect(await ended.promise).toMatchObject({ name: 'AbortError' });
  });

  it('is notified when a watch ends by itself', async () => {
    const ended = Promise.withResolvers<unknown>();
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await new Watch(config).watch(path, { timeoutSeconds: 1 }, () => {}, ended.resolve);
    expect(await ended.promise).toBeNull();
  });

  it('keeps an informer', async () => {
    const seen: string[] = [];
    const labelSelector = 'app=informed';
    const body = (name: string) => ({ metadata: { name, labels: { app: 'informed' } } });
    await core.createNamespacedConfigMap({ namespace, body: body('before') });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const list = () => core.listNamespacedConfigMap({ namespace, labelSelector });
    const informer = makeInformer(config, path, list, labelSelector);
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata?.name}`));
    }
    const connected = new Promise<void>((resolve) => informer.on('connect', () => resolve()));
    await informer.start();
    await connected;
    await core.createNamespacedConfigMap({ namespace, body: body('after') });
    await core.replaceNamespacedConfigMap({ namespace, name: 'before', body: { ...body('before'), data: { a: '1' } } });
    await core.deleteNamespacedConfigMap({ namespace, name: 'after' });
    const all = ['add before', 'add after', 'update before', 'delete after'];
    await vi.waitFor(() => expect(seen).toEqual(all), pollOptions);
    expect(informer.get('before', namespace)?.data).toEqual({ a: '1' });
    expect(informer.list(namespace)).toHaveLength(1);
    await informer.stop();
  });

  it('handles objects of any kind, custom ones too', async () => {
    const group = 'suite.example.com';
    const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer', _default: 1 } } } },
      },
    };
    const spec = {
      group,
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    };
    const definitions = config.makeApiClient(ApiextensionsV1Api);
    await definitions.createCustomResourceDefinition({ body: { metadata: { name: `widgets.${group}` }, spec } });
    const custom = config.makeApiClient(CustomObjectsApi);
    const of = { group, version: 'v1', namespace, plural: 'widgets' };
    await vi.waitFor(() => custom.listNamespacedCustomObject(of), pollOptions);

    const any = KubernetesObjectApi.makeApiClient(config);
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'one', namespace }, spec: {} };
    await vi.waitFor(() => any.create(widget), pollOptions);
    expect(await any.read(widget)).toMatchObject({ spec: { size: 1 } });
    const applied = { ...widget, spec: { size: 5 } };
    await any.patch(applied, undefined, undefined, 'suite', true, PatchStrategy.ServerSideApply);
    expect(await custom.getNamespacedCustomObject({ ...of, name: 'one' })).toMatchObject({ spec: { size: 5 } });
    const wrong = any.patch(
      { ...widget, spec: { size: 'big' } },
      undefined,
      undefined,
      'suite',
      true,
      PatchStrategy.MergePatch,
    );
    await expect(wrong).rejects.toEqual(refusal(422, 'Invalid'));
    expect((await any.list(`${group}/v1`, 'Widget', namespace)).items).toHaveLength(1);
    await any.delete(widget);
    await expect(any.read(widget)).rejects.toEqual(refusal(404, 'NotFound'));
    await definitions.deleteCustomResourceDefinition({ name: `widgets.${group}` });
  });

  it('connects by a token that it requested', async () => {
    await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'robot' } } });
    const body = { spec: { audiences: [], expirationSeconds: 600 } };
    const { status } = await core.createNamespacedServiceAccountToken({ namespace, name: 'robot', body });
    const robot = new KubeConfig();
    const server = config.getCurrentCluster();
    robot.loadFromClusterAndUser(
      { name: 'server', server: server?.server ?? '', caData: server?.caData, skipTLSVerify: false },
      { name: 'robot', token: status?.token },
    );
    const review = await robot.makeApiClient(AuthenticationV1Api).createSelfSubjectReview({ body: {} });
    expect(review.status?.userInfo?.username).toBe('system:serviceaccount:default:robot');
    const forbidden = robot.makeApiClient(CoreV1Api).listNamespacedSecret({ namespace });
    await expect(forbidden).rejects.toEqual(refusal(403, 'Forbidden'));
  });

  it('renews a lease, and asks for the health', async () => {
    const leases = config.makeApiClient(CoordinationV1Api);
    const renewTime = new V1MicroTime('2030-01-02T03:04:05.678Z');
    const body = { metadata: { name: 'kept' }, spec: { renewTime } };
    const { spec } = await leases.createNamespacedLease({ namespace, body });
    expect(String(spec?.renewTime)).toBe('2030-01-02T03:04:05.678000Z');
    expect(await new Health(config).readyz({})).toBe(true);
    expect(await new Health(config).livez({})).toBe(true);
  });
});
