import { resourcesOf } from '@flotilla/addon-sdk';
import type { AddOnTemplateRegistration } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { containerOf, deployment, envOf, podOf, rendered, templateOf, workload } from './fixtures/template.ts';
import { templateNamespace } from './render-template.ts';

const registration: AddOnTemplateRegistration[] = [
  { type: 'KubeClient', kubeClient: {} },
  { type: 'CustomSigner', customSigner: { signerName: 'example.com/signer-name', signingCA: { name: 'ca' } } },
];
const daemonSet = workload('apps/v1', 'DaemonSet', 'node-agent');
const serviceAccount = { kind: 'ServiceAccount', name: 'hello', namespace: 'own' };
const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'b' } };
const inNamespace = (agentInstallNamespace: string) => ({ agentInstallNamespace });
const variables = (...names: [string, string][]) => names.map(([name, value]) => ({ name, value }));

describe('a template of a Deployment and a DaemonSet', () => {
  it('[addons 122] gets variables, volumes, node placement, images and a namespace', () => {
    const own = { env: [{ name: 'LOG_LEVEL', value: '{{LOG_LEVEL}}' }], name: 'agent', image: 'quay.io/acme/agent:v1' };
    const template = templateOf(
      [deployment('hello', { containers: [own] }), daemonSet, { ...binding, subjects: [serviceAccount] }],
      registration,
    );
    const config = { ...inNamespace('addons'), customizedVariables: variables(['LOG_LEVEL', '4']) };
    const tolerations = [{ key: 'infra', operator: 'Exists' }];
    const objects = rendered(template, config, {
      nodeSelector: { host: 'ssd' },
      tolerations,
      image: (reference) => reference.replace('quay.io', 'mirror.example'),
    });
    expect(envOf(objects[0])).toEqual([
      'LOG_LEVEL=4',
      'HUB_KUBECONFIG=/managed/hub-kubeconfig/kubeconfig',
      'CLUSTER_NAME=c1',
      'INSTALL_NAMESPACE=addons',
    ]);
    for (const object of objects.slice(0, 2)) {
      expect(podOf(object)).toMatchObject({ nodeSelector: { host: 'ssd' }, tolerations });
      expect(podOf(object).volumes).toEqual([
        { name: 'hub-kubeconfig', secret: { secretName: 'hello-hub-kubeconfig' } },
        {
          name: 'cert-example-com-signer-name',
          secret: { secretName: 'hello-example.com-signer-name-client-cert' },
        },
      ]);
      expect(containerOf(object).volumeMounts).toEqual([
        { name: 'hub-kubeconfig', mountPath: '/managed/hub-kubeconfig' },
        { name: 'cert-example-com-signer-name', mountPath: '/managed/example.com-signer-name' },
      ]);
      expect(containerOf(object).image).toBe('mirror.example/acme/agent:v1');
      expect(object.metadata?.namespace).toBe('addons');
    }
    expect(objects[2]?.subjects).toEqual([{ ...serviceAccount, namespace: 'addons' }]);
    expect(objects[2]?.metadata).toEqual({ name: 'b' });
  });

  it('[addons 124] lets a configuration say where the kubeconfig is, and nothing about the cluster', () => {
    const customizedVariables = variables(['HUB_KUBECONFIG', '/elsewhere'], ['CLUSTER_NAME', 'another']);
    const template = templateOf([deployment('hello', {}, '{{CLUSTER_NAME}}')], registration);
    const [object] = rendered(template, { ...inNamespace(''), customizedVariables });
    expect(envOf(object)).toEqual(['HUB_KUBECONFIG=/elsewhere', 'CLUSTER_NAME=c1']);
    expect(object?.metadata?.namespace).toBe('c1');
  });

  it('[addons 125] has neither kubeconfig nor volumes without a registration', () => {
    const [object] = rendered(templateOf([deployment('hello')]));
    expect(envOf(object)).toEqual(['CLUSTER_NAME=c1']);
    expect(podOf(object).volumes).toBeUndefined();
    expect(containerOf(object).volumeMounts).toBeUndefined();
  });
});

describe('resource requirements', () => {
  it('[addons 128] are those of the last entry that matches a container', () => {
    const limits = (cpu: string) => ({ limits: { cpu } });
    const requirements = [
      { containerID: 'deployments:d1:agent', resources: limits('1') },
      { containerID: '*:*:*', resources: limits('2') },
    ];
    const template = templateOf([deployment('d1'), daemonSet]);
    const limitsOf = (given: typeof requirements) =>
      rendered(template, undefined, { resources: (id) => resourcesOf(given, id) }).map(
        (object) => containerOf(object).resources,
      );
    expect(limitsOf(requirements)).toEqual([limits('2'), limits('2')]);
    expect(limitsOf(requirements.toReversed())).toEqual([limits('1'), limits('2')]);
  });
});

describe('what OCM leaves alone', () => {
  it.each([
    ['apps/v1', 'StatefulSet'],
    ['apps/v1', 'ReplicaSet'],
    ['batch/v1', 'Job'],
    ['batch/v1', 'CronJob'],
    ['v1', 'Pod'],
  ])('gets what a Deployment gets: %s %s', (apiVersion, kind) => {
    const [object] = rendered(templateOf([workload(apiVersion, kind, 'w')], registration));
    expect(envOf(object)).toEqual(['HUB_KUBECONFIG=/managed/hub-kubeconfig/kubeconfig', 'CLUSTER_NAME=c1']);
    expect(podOf(object).volumes).toHaveLength(2);
  });

  it('gets it in init containers too', () => {
    const initContainers = [{ name: 'init', image: 'quay.io/acme/init' }];
    const [object] = rendered(templateOf([deployment('hello', { initContainers })], registration), undefined, {
      image: (reference) => `mirror.example/${reference}`,
      resources: (id) => (id === 'deployments:hello:init' ? { limits: { cpu: '1' } } : undefined),
    });
    expect(podOf(object).initContainers).toEqual([
      expect.objectContaining({
        image: 'mirror.example/quay.io/acme/init',
        env: expect.arrayContaining([{ name: 'CLUSTER_NAME', value: 'c1' }]),
        resources: { limits: { cpu: '1' } },
      }),
    ]);
    expect(containerOf(object).resources).toBeUndefined();
  });

  it('[addons Q9] gets tolerations without a node selector, and keeps what is not given', () => {
    const pod = { nodeSelector: { own: 'yes' }, tolerations: [{ key: 'own' }] };
    const [object] = rendered(templateOf([deployment('hello', pod)]), undefined, { tolerations: [{ key: 'given' }] });
    expect(podOf(object)).toMatchObject({ nodeSelector: { own: 'yes' }, tolerations: [{ key: 'given' }] });
  });

  it('keeps one of two variables and volumes of a name', () => {
    const volumeMounts = [{ name: 'hub-kubeconfig', mountPath: '/managed/hub-kubeconfig', readOnly: true }];
    const env = [{ name: 'CLUSTER_NAME', value: 'guess' }];
    const containers = [{ name: 'agent', image: 'a', env, volumeMounts }];
    const volumes = [{ name: 'hub-kubeconfig', secret: { secretName: 'guess' } }];
    const [object] = rendered(templateOf([deployment('hello', { containers, volumes })], registration.slice(0, 1)));
    expect(envOf(object)).toEqual(['HUB_KUBECONFIG=/managed/hub-kubeconfig/kubeconfig', 'CLUSTER_NAME=c1']);
    expect(podOf(object).volumes).toHaveLength(1);
    expect(containerOf(object).volumeMounts).toHaveLength(1);
  });
});

describe('a proxy', () => {
  const proxyEnv = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'].map((name) => ({
    name,
    value: 'p',
  }));
  const caBundle = Buffer.from('the CA').toString('base64');
  const configMap = (namespace: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'hello-proxy-ca', namespace },
    data: { 'ca-bundle.crt': 'the CA' },
  });

  it('[addons 123] comes with its CA: seven variables, a volume and a ConfigMap at the end', () => {
    const objects = rendered(
      templateOf([deployment('hello')]),
      { ...inNamespace('addons'), proxyConfig: { caBundle } },
      { proxyEnv },
    );
    expect(envOf(objects[0]).slice(2)).toEqual([
      ...proxyEnv.map(({ name }) => `${name}=p`),
      'CA_BUNDLE_FILE_PATH=/managed/proxy-ca/ca-bundle.crt',
    ]);
    expect(podOf(objects[0]).volumes).toEqual([{ name: 'proxy-ca-bundle', configMap: { name: 'hello-proxy-ca' } }]);
    expect(containerOf(objects[0]).volumeMounts).toEqual([{ name: 'proxy-ca-bundle', mountPath: '/managed/proxy-ca' }]);
    expect(objects.at(-1)).toEqual(configMap('addons'));
  });

  it('has its CA in each namespace with pods, so that they can mount it', () => {
    const template = templateOf([deployment('a', {}, 'one'), deployment('b', {}, 'two'), deployment('c', {}, 'one')]);
    const objects = rendered(template, { ...inNamespace(''), proxyConfig: { caBundle } }, { proxyEnv });
    expect(objects.slice(3)).toEqual([configMap('one'), configMap('two')]);
  });

  it('is not mounted without an address', () => {
    const objects = rendered(templateOf([deployment('hello')]), {
      ...inNamespace('addons'),
      proxyConfig: { caBundle },
    });
    expect(podOf(objects[0]).volumes).toBeUndefined();
    expect(objects.at(-1)).toEqual(configMap('addons'));
  });
});

describe('the namespace of a template', () => {
  const namespaceFor = (manifests: Parameters<typeof templateOf>[0], agentInstallNamespace?: string) =>
    templateNamespace({
      addonName: 'hello',
      clusterName: 'c1',
      template: templateOf(manifests),
      ...(agentInstallNamespace !== undefined && { deployment: { agentInstallNamespace } }),
    });

  it('[addons 126] is its own where the configuration leaves it', () => {
    const manifests = [deployment('hello', {}, 'one'), { ...binding, subjects: [serviceAccount] }];
    const objects = rendered(templateOf(manifests), inNamespace(''));
    expect(objects.map(({ metadata }) => metadata?.namespace)).toEqual(['one', undefined]);
    expect(objects[1]?.subjects).toEqual([serviceAccount]);
    expect(namespaceFor(manifests, '')).toBe('one');
    expect(namespaceFor(manifests, 'addons')).toBe('addons');
  });

  it('[addons 127] is that of the first Deployment, then of the first DaemonSet, then the default', () => {
    const sets = [
      workload('apps/v1', 'DaemonSet', 'd', {}, 'sets'),
      workload('apps/v1', 'DaemonSet', 'e', {}, 'others'),
    ];
    expect(namespaceFor([...sets, deployment('hello', {}, 'one')])).toBe('one');
    expect(namespaceFor(sets)).toBe('sets');
    expect(namespaceFor([{ ...binding, subjects: [serviceAccount] }])).toBe('open-cluster-management-agent-addon');
    expect(namespaceFor([workload('apps/v1', 'StatefulSet', 's', {}, 'state')])).toBe('state');
  });

  it('is the name of its Namespace, and is not given to users and groups', () => {
    const user = { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' };
    const objects = rendered(
      templateOf([
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own' } },
        {
          ...binding,
          kind: 'RoleBinding',
          metadata: { name: 'b', namespace: 'own' },
          subjects: [user, serviceAccount],
        },
        { ...binding, metadata: { name: 'nobody' } },
      ]),
      inNamespace('addons'),
    );
    expect(objects[0]?.metadata).toEqual({ name: 'addons' });
    expect(objects[1]).toMatchObject({
      metadata: { namespace: 'addons' },
      subjects: [user, { ...serviceAccount, namespace: 'addons' }],
    });
    expect(objects[2]).not.toHaveProperty('subjects');
  });
});
