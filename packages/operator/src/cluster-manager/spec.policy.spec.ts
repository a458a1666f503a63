import type { ClusterManagerSpec } from '@flotilla/api-types';
import { operatedHubObjects, operatedRuntimeObjects } from '@flotilla/install';
import type {
  ClusterRole,
  Deployment,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
} from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { describe, expect, it } from 'vitest';
import type { HubOperatorSettings } from './settings.ts';
import { operatedHubOf } from './spec.policy.ts';
import { tlsProfile } from './tls-profile.policy.ts';

const settings: HubOperatorSettings = {
  namespace: 'open-cluster-management',
  hubImage: 'flotilla/hub:1',
  agentImage: 'flotilla/agent:1',
  drivers: [],
  syncLabels: true,
  replicas: 0,
  nodeSelector: '',
  keepsDefinitions: false,
};

interface Surroundings {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  tls?: Record<string, string>;
  hasPullSecret?: boolean;
  replicas?: number;
}

/** All objects of a hub. */
const render = (
  spec: ClusterManagerSpec,
  { labels, annotations, tls, hasPullSecret = false, replicas = 1 }: Surroundings = {},
) => {
  const profile = tlsProfile(tls && { metadata: { namespace: 'n', name: 'm' }, data: tls });
  const metadata = { name: 'cluster-manager', ...(labels && { labels }), ...(annotations && { annotations }) };
  const hub = operatedHubOf({ metadata, spec }, settings, { replicas, tlsFlags: profile.flags, hasPullSecret });
  const objects: KubeObject[] = [...operatedHubObjects(hub, []), ...operatedRuntimeObjects(hub)];
  const named = <T extends KubeObject>(kind: string, name: string) =>
    objects.find((one) => one.kind === kind && one.metadata?.name === name) as T | undefined;
  const program = (suffix: string) => named<Deployment>('Deployment', `cluster-manager-${suffix}`);
  return {
    hub,
    objects,
    named,
    program,
    programs: objects.filter(({ kind }) => kind === 'Deployment') as Deployment[],
    args: (suffix: string) => program(suffix)?.spec?.template.spec?.containers[0]?.args ?? [],
    rules: (suffix: string) =>
      named<ClusterRole>('ClusterRole', `open-cluster-management:cluster-manager-${suffix}`)?.rules ?? [],
  };
};

const on = (feature: string) => ({ feature, mode: 'Enable' as const });
const containersOf = (program: Deployment) => program.spec?.template.spec?.containers ?? [];
const drivers = (
  ...registrationDrivers: NonNullable<
    NonNullable<ClusterManagerSpec['registrationConfiguration']>['registrationDrivers']
  >
): ClusterManagerSpec => ({ registrationConfiguration: { registrationDrivers } });

describe('the programs of a hub', () => {
  it('have the names that `kubectl get pods` shows for OCM', () => {
    const { programs } = render({
      ...drivers({ authType: 'grpc' }),
      workConfiguration: { featureGates: [on('ManifestWorkReplicaSet')] },
    });
    expect(programs.map(({ metadata }) => metadata?.name)).toEqual([
      'cluster-manager-registration-controller',
      'cluster-manager-registration-webhook',
      'cluster-manager-work-webhook',
      'cluster-manager-addon-webhook',
      'cluster-manager-placement-controller',
      'cluster-manager-work-controller',
      'cluster-manager-addon-manager-controller',
      'cluster-manager-grpc-server',
    ]);
    for (const { metadata } of programs) expect(metadata?.labels?.app).toBe(metadata?.name);
  });

  it('run our commands in our image, and those of OCM in images of OCM', () => {
    expect(render({}).args('work-webhook').slice(0, 3)).toEqual([
      'webhook-server',
      '--webhooks=work',
      '--certdir=/tmp/k8s-webhook-server/serving-certs',
    ]);
    const ocm = render({ workImagePullSpec: 'quay.io/open-cluster-management/work:v1.2.1' });
    expect(ocm.args('work-webhook').slice(0, 2)).toEqual(['/work', 'webhook-server']);
    expect(ocm.args('registration-webhook')[0]).toBe('webhook-server');
  });

  it('give images of OCM no flags for what they do anyway, which those before v1.3 do not know', () => {
    const workImagePullSpec = 'quay.io/open-cluster-management/work:v1.2.1';
    expect(render({ workImagePullSpec }).args('work-webhook')).toEqual(['/work', 'webhook-server', '--port=9443']);
    const bindConfiguration = { healthProbePort: 8001, metricsPort: 0 };
    const other = render(
      {
        workImagePullSpec,
        deployOption: { mode: 'Default', default: { workWebhookConfiguration: { bindConfiguration } } },
      },
      { tls: { minTLSVersion: 'VersionTLS13' } },
    );
    expect(other.args('work-webhook')).toEqual(
      expect.arrayContaining(['--health-probe-port=8001', '--metrics-port=0', '--tls-min-version=VersionTLS13']),
    );
  });

  it('run the image of the operator where the definition of the kind filled in the default', () => {
    const { hub } = render({ registrationImagePullSpec: 'quay.io/open-cluster-management/registration' });
    expect(hub.images).toMatchObject({ registration: 'flotilla/hub:1', server: 'flotilla/hub:1' });
  });

  it('[cli C06] include the work controller with one of its gates only', () => {
    const work = (...featureGates: ReturnType<typeof on>[]) =>
      render({ workConfiguration: { featureGates } }).program('work-controller');
    expect(work()).toBeUndefined();
    expect(work(on('NilExecutorValidating'))).toBeUndefined();
    expect(work(on('CleanUpCompletedManifestWork'))).toBeDefined();
    expect(work(on('ManifestWorkReplicaSet'))).toBeDefined();
  });

  it('[cli C10] import clusters with the gate ClusterImporter', () => {
    const importing = (...featureGates: ReturnType<typeof on>[]) =>
      render({ registrationConfiguration: { featureGates, importerConfiguration: { renderers: ['a', 'b'] } } });
    const args = importing(on('ClusterImporter')).args('registration-controller');
    expect(args).toContain('--agent-image=flotilla/agent:1');
    expect(args).toContain('--bootstrap-serviceaccount=open-cluster-management/agent-registration-bootstrap');
    expect(args).toContain('--import-renderers=a,b');
    expect(args).toContain('--feature-gates=ClusterImporter=true');
    const groups = (hub: ReturnType<typeof render>) =>
      hub.rules('registration:controller').flatMap(({ apiGroups }) => apiGroups ?? []);
    expect(groups(importing(on('ClusterImporter')))).toContain('cluster.x-k8s.io');
    expect(groups(importing())).not.toContain('cluster.x-k8s.io');
    expect(importing().args('registration-controller').join()).not.toContain('agent-image');
  });

  it('[cli C11] publish works by another driver with the image of OCM, and the flags go again with it', () => {
    const work = (workDriver: 'kube' | 'grpc') =>
      render({
        workImagePullSpec: 'quay.io/open-cluster-management/work:v1.3.1',
        workConfiguration: { workDriver, featureGates: [on('CloudEventsDrivers'), on('ManifestWorkReplicaSet')] },
      });
    expect(work('grpc').args('work-controller')).toContain('--work-driver=grpc');
    const volumes = work('grpc').program('work-controller')?.spec?.template.spec?.volumes ?? [];
    expect(volumes.map(({ name }) => name)).toContain('workdriverconfig');
    expect(work('kube').args('work-controller').join()).not.toContain('grpc');
  });

  it('[cli C14] have the node selector and the tolerations of the ClusterManager, all of them', () => {
    const nodePlacement = { nodeSelector: { zone: 'a' }, tolerations: [{ key: 'infra', operator: 'Exists' }] };
    for (const { spec } of render({ nodePlacement }).programs) expect(spec?.template.spec).toMatchObject(nodePlacement);
  });

  it('do about duplicate identities what the annotation says, in our image only', () => {
    const annotations = { 'operator.open-cluster-management.io/duplicate-identity': 'refuse' };
    expect(render({}, { annotations }).args('registration-controller')).toContain('--duplicate-identity=refuse');
    expect(render({}).args('registration-controller').join()).not.toContain('duplicate-identity');
    const ocm = { registrationImagePullSpec: 'quay.io/open-cluster-management/registration:v1.3.1' };
    expect(render(ocm, { annotations }).args('registration-controller').join()).not.toContain('duplicate-identity');
  });

  it('[cli C16] approve whom the ClusterManager trusts', () => {
    const args = render({
      registrationConfiguration: {
        autoApproveUsers: ['a', 'b'],
        registrationDrivers: [{ authType: 'csr', csr: { autoApprovedIdentities: ['c', 'd'] } }],
      },
    }).args('registration-controller');
    expect(args).toContain('--cluster-auto-approval-users=a,b');
    expect(args).toContain('--auto-approved-csr-users=c,d');
    expect(args).toContain('--enabled-registration-drivers=csr');
    expect(render({}).args('registration-controller').join()).not.toMatch(/approv|enabled-registration/);
  });

  it('[cli C17] pass on labels, sorted, without `app` and reserved ones', () => {
    const labels = { app: 'x', 'open-cluster-management.io/a': 'y', team: 'fleet', area: 'eu' };
    expect(render({}, { labels }).args('registration-controller')).toContain('--labels=area=eu,team=fleet');
  });

  it('[cli C24] take an IAM role with the driver awsirsa', () => {
    const hubClusterArn = 'arn:aws:eks:us-west-2:123456789012:cluster/hub1';
    const awsirsa = { hubClusterArn, tags: ['a=b', 'c=d'], autoApprovedIdentities: ['arn:x', 'arn:y'] };
    const { args, named } = render(drivers({ authType: 'awsirsa', awsirsa }));
    expect(args('registration-controller')).toEqual(
      expect.arrayContaining([
        `--hub-cluster-arn=${hubClusterArn}`,
        '--aws-resource-tags=a=b,c=d',
        '--auto-approved-arn-patterns=arn:x,arn:y',
      ]),
    );
    expect(named<ServiceAccount>('ServiceAccount', 'registration-controller-sa')?.metadata?.annotations).toEqual({
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/hub1_managed-cluster-identity-creator',
    });
    const untagged = render(drivers({ authType: 'awsirsa', awsirsa: { hubClusterArn } }));
    expect(untagged.args('registration-controller').join()).not.toContain('aws-resource-tags');
  });

  it('[cli C25] have no gates that nobody set, but the one of the webhook', () => {
    expect(render({}).args('registration-controller').join()).not.toContain('feature-gates');
    expect(render({}).args('registration-webhook')).toContain('--feature-gates=DefaultClusterSet=true');
  });

  it.each<[string, Record<string, string> | undefined, string[]]>([
    ['no profile', undefined, ['--tls-min-version=VersionTLS12']],
    ['a version', { minTLSVersion: 'VersionTLS13' }, ['--tls-min-version=VersionTLS13']],
    ['a version as OpenSSL names it', { minTLSVersion: 'TLSv1.3' }, ['--tls-min-version=VersionTLS13']],
    [
      'suites',
      { cipherSuites: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, UNKNOWN' },
      ['--tls-min-version=VersionTLS12', '--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
    ],
  ])('[cli C27] serve TLS as %s says, every container', (_, tls, flags) => {
    const spec = {
      ...drivers({ authType: 'grpc' as const }),
      placementConfiguration: { featureGates: [on('PlacementDebugServer')] },
    };
    const containers = render(spec, tls && { tls }).programs.flatMap(containersOf);
    expect(containers).toHaveLength(8);
    for (const { args = [] } of containers) expect(args.filter((arg) => arg.startsWith('--tls-'))).toEqual(flags);
  });

  it.each<[string, ClusterManagerSpec['resourceRequirement'], object]>([
    ['nothing', undefined, { requests: { cpu: '2m', memory: '96Mi' } }],
    ['Default', { type: 'Default' }, { requests: { cpu: '2m', memory: '96Mi' } }],
    ['BestEffort', { type: 'BestEffort' }, {}],
    [
      'ResourceRequirement',
      { type: 'ResourceRequirement', resourceRequirements: { limits: { memory: '1Gi' } } },
      { limits: { memory: '1Gi' } },
    ],
  ])('[cli C28] have the resources of %s', (_, resourceRequirement, expected) => {
    const spec = resourceRequirement ? { resourceRequirement } : {};
    for (const program of render(spec).programs) expect(containersOf(program)[0]?.resources).toEqual(expected);
  });

  it('[cli C28] have the requests of OCM with an image of OCM', () => {
    const { program } = render({ workImagePullSpec: 'quay.io/open-cluster-management/work:v1.2.1' });
    const [container] = program('work-webhook')?.spec?.template.spec?.containers ?? [];
    expect(container?.resources).toEqual({ requests: { cpu: '2m', memory: '16Mi' } });
  });

  it('have a budget for drains, and admit connections to their own ports alone', () => {
    const spec = {
      ...drivers({ authType: 'grpc' as const }),
      serverConfiguration: { featureGates: [on('ClusterProxy')] },
    };
    const { named, programs } = render(spec);
    const portsOf = (name: string) =>
      named<NetworkPolicy>('NetworkPolicy', name)?.spec?.ingress?.[0]?.ports?.map(({ port }) => port);
    for (const { metadata, spec } of programs) {
      const selector = spec?.selector;
      expect(named<PodDisruptionBudget>('PodDisruptionBudget', metadata?.name ?? '')?.spec).toEqual({
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector,
      });
      expect(named<NetworkPolicy>('NetworkPolicy', metadata?.name ?? '')?.spec?.podSelector).toEqual(selector);
    }
    expect(portsOf('cluster-manager-registration-controller')).toEqual([8443]);
    expect(portsOf('cluster-manager-work-webhook')).toEqual([9443, 8080, 8000]);
    expect(portsOf('cluster-manager-grpc-server')).toEqual([8090, 8443]);
  });

  it('show their metrics to a monitor that selects pods by label and port', () => {
    for (const { metadata, spec } of render({}).programs) {
      expect(spec?.template.metadata?.labels).toMatchObject({
        'open-cluster-management.io/created-by-clustermanager': 'cluster-manager',
      });
      const ports = (spec?.template.spec?.containers ?? []).flatMap(({ ports = [] }) => ports.map(({ name }) => name));
      expect(ports, metadata?.name).toContain(metadata?.name?.endsWith('-webhook') ? 'metrics' : 'health');
    }
  });

  it('pull images with the credentials of the operator, if it has any', () => {
    const secrets = (hasPullSecret: boolean) =>
      render({}, { hasPullSecret }).program('work-webhook')?.spec?.template.spec?.imagePullSecrets;
    expect(secrets(true)).toEqual([{ name: 'open-cluster-management-image-pull-credentials' }]);
    expect(secrets(false)).toBeUndefined();
  });

  it('use the network of the node one pod after the other', () => {
    const bindConfiguration = { port: 9444, healthProbePort: 0, metricsPort: 0, hostNetwork: true };
    const { program, args, named } = render(
      { deployOption: { mode: 'Default', default: { workWebhookConfiguration: { bindConfiguration } } } },
      { replicas: 3 },
    );
    const { strategy, template } = program('work-webhook')?.spec ?? {};
    expect(strategy?.rollingUpdate).toEqual({ maxSurge: 0, maxUnavailable: 1 });
    expect(template?.spec).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' });
    expect(template?.spec?.containers[0]).not.toHaveProperty('livenessProbe');
    expect(args('work-webhook')).toEqual(
      expect.arrayContaining(['--port=9444', '--health-probe-port=0', '--metrics-port=0']),
    );
    expect(named<Service>('Service', 'cluster-manager-work-webhook')?.spec?.ports?.[0]?.port).toBe(9444);
  });
});
