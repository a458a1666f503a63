import type { Klusterlet } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { type ConfigFacts, klusterletConfig } from '../config/klusterlet-config.ts';
import { managedAccess, managementAccess } from './access.ts';
import { agentDeployments } from './agents.ts';

const facts: ConfigFacts = {
  replicas: 1,
  hasHubSecret: true,
  isSwitching: false,
  images: { agent: 'flotilla/agent:1', singleton: 'flotilla/singleton:1', awsCli: 'aws-cli:1' },
  operatorNamespace: 'open-cluster-management',
  managesAddOnNamespace: true,
  grantsWorkPayloads: true,
};
type Spec = NonNullable<Klusterlet['spec']>;

const configFor = (spec: Spec, more: Partial<ConfigFacts> = {}) =>
  klusterletConfig(
    { metadata: { name: 'klusterlet', uid: 'u1' }, spec: { clusterName: 'c1', ...spec } },
    { ...facts, ...more },
  );
const podOf = (deployment: Deployment | undefined) => deployment?.spec?.template.spec;
/** The arguments of each agent, by the last part of its name. */
const argsOf = (spec: Spec, more: Partial<ConfigFacts> = {}): Record<string, string[]> =>
  Object.fromEntries(
    agentDeployments(configFor(spec, more)).map((deployment) => [
      deployment.metadata?.name?.replace('klusterlet-', '') ?? '',
      podOf(deployment)?.containers[0]?.args ?? [],
    ]),
  );
const singleton = { deployOption: { mode: 'Singleton' } };
const arns = {
  hubClusterArn: 'arn:aws:eks:us-west-2:123456789012:cluster/hub',
  managedClusterArn: 'arn:aws:eks:us-west-2:210987654321:cluster/spoke',
};

describe('the agents of a klusterlet', () => {
  it('run the programs of Flotilla, and those of OCM where a Klusterlet names its images', () => {
    expect(argsOf({})['registration-agent']?.slice(0, 4)).toEqual([
      'registration',
      '--listen=0.0.0.0:8443',
      '--spoke-cluster-name=c1',
      '--bootstrap-kubeconfig=/spoke/bootstrap/kubeconfig',
    ]);
    const ocm = {
      registrationImagePullSpec: 'quay.io/open-cluster-management/registration:v1.2.1',
      workImagePullSpec: 'localhost:5000/mirror/work@sha256:00',
    };
    const args = argsOf(ocm);
    expect(args['registration-agent']?.slice(0, 2)).toEqual(['/registration', 'agent']);
    expect(args['work-agent']?.slice(0, 2)).toEqual(['/work', 'agent']);
    expect(args['work-agent']).toContain('--terminate-on-files=/spoke/hub-kubeconfig/kubeconfig');
    const registrationConfiguration = {
      featureGates: [{ feature: 'ClusterProxy', mode: 'Enable' as const }],
      clusterLabels: { zone: 'b', region: 'eu' },
    };
    // What OCM's agent does not know would end it.
    const gated = argsOf({ ...ocm, registrationConfiguration })['registration-agent']?.join(' ');
    expect(gated).not.toMatch(/ClusterProxy|cluster-labels/);
    expect(argsOf({ registrationConfiguration })['registration-agent']).toEqual(
      expect.arrayContaining(['--feature-gates=ClusterProxy=true', '--cluster-labels=region=eu,zone=b']),
    );
    const both = { ...singleton, imagePullSpec: 'quay.io/open-cluster-management/registration-operator:v1.2.1' };
    expect(argsOf(both).agent?.slice(0, 2)).toEqual(['/registration-operator', 'agent']);
    const probes = agentDeployments(configFor(ocm)).map(
      (one) => podOf(one)?.containers[0]?.readinessProbe?.httpGet?.path,
    );
    expect(probes).toEqual(['/healthz', '/healthz']);
  });

  it('[cli D05] are placed as the Klusterlet says', () => {
    const spec: Spec = {
      nodePlacement: { nodeSelector: { zone: 'a' }, tolerations: [{ key: 'infra', operator: 'Exists' }] },
      priorityClassName: 'important',
      hubApiServerHostAlias: { ip: '10.0.0.1', hostname: 'hub.example.com' },
    };
    for (const mode of ['Default', 'Singleton']) {
      for (const deployment of agentDeployments(configFor({ ...spec, deployOption: { mode } }))) {
        expect(podOf(deployment)).toMatchObject({
          nodeSelector: { zone: 'a' },
          tolerations: [{ key: 'infra', operator: 'Exists' }],
          priorityClassName: 'important',
          hostAliases: [{ ip: '10.0.0.1', hostnames: ['hub.example.com'] }],
        });
      }
    }
  });

  it('have the resources that the Klusterlet asks for', () => {
    const resources = (spec: Spec) => podOf(agentDeployments(configFor(spec))[0])?.containers[0]?.resources;
    expect(resources({})).toEqual({ requests: { cpu: '2m', memory: '96Mi' } });
    expect(resources({ resourceRequirement: { type: 'BestEffort' } })).toEqual({});
    const own = { limits: { cpu: '1' }, requests: { memory: '1Gi' } };
    expect(resources({ resourceRequirement: { type: 'ResourceRequirement', resourceRequirements: own } })).toEqual(own);
  });

  it('[cli D06] report the addresses of the cluster, if there are any', () => {
    const flag = /^--spoke-external-server-urls/;
    expect(argsOf({ externalServerURLs: [] })['registration-agent']?.filter((arg) => flag.test(arg))).toEqual([]);
    expect(argsOf({ externalServerURLs: [{ url: '' }] })['registration-agent']?.some((arg) => flag.test(arg))).toBe(
      false,
    );
    const urls = [{ url: 'https://a' }, { url: 'https://b' }];
    expect(argsOf({ externalServerURLs: urls })['registration-agent']).toContain(
      '--spoke-external-server-urls=https://a,https://b',
    );
  });

  it('[cli D07, D08] that apply works wait for the name of the cluster, and for credentials', () => {
    expect(Object.keys(argsOf({ clusterName: '' }))).toEqual(['registration-agent']);
    expect(argsOf({ clusterName: '' }, { storedClusterName: 'c7' })['work-agent']).toContain('--spoke-cluster-name=c7');
    const [, work] = agentDeployments(configFor({}, { hasHubSecret: false }));
    expect(work?.spec?.replicas).toBe(0);
    expect(agentDeployments(configFor({}))[1]?.spec?.replicas).toBe(1);
  });

  it('[cli D15] have the feature gates that differ from their defaults, each in the agent that knows it', () => {
    const gates = argsOf({
      registrationConfiguration: {
        featureGates: [
          { feature: 'ClusterClaim', mode: 'Disable' },
          { feature: 'Foo', mode: 'Enable' },
        ],
      },
      workConfiguration: { featureGates: [{ feature: 'ExecutorValidatingCaches', mode: 'Enable' }] },
    });
    const only = (args: string[] | undefined) => args?.filter((arg) => arg.startsWith('--feature-gates'));
    expect(only(gates['registration-agent'])).toEqual(['--feature-gates=ClusterClaim=false']);
    expect(only(gates['work-agent'])).toEqual(['--feature-gates=ExecutorValidatingCaches=true']);
    for (const args of Object.values(argsOf({}))) expect(only(args)).toEqual([]);
  });

  it('[cli D16] have the lifetime of certificates that the Klusterlet asks for', () => {
    const flag = '--client-cert-expiration-seconds';
    const args = argsOf({ registrationConfiguration: { clientCertExpirationSeconds: 3600 } });
    expect(args['registration-agent']).toContain(`${flag}=3600`);
    expect(argsOf({})['registration-agent']?.some((arg) => arg.startsWith(flag))).toBe(false);
  });

  it('[cli D17] have the limits of claims', () => {
    const claims = { maxCustomClusterClaims: 7, reservedClusterClaimSuffixes: ['a.example.com', 'b.example.com'] };
    const expected = ['--max-custom-cluster-claims=7', '--reserved-cluster-claim-suffixes=a.example.com,b.example.com'];
    for (const spec of [{}, singleton]) {
      const [args] = Object.values(
        argsOf({ ...spec, registrationConfiguration: { clusterClaimConfiguration: claims } }),
      );
      expect(args).toEqual(expect.arrayContaining(expected));
    }
  });

  it('[cli D18] have the times of works, and look every minute if they are alone', () => {
    const workConfiguration = { statusSyncInterval: '20s', appliedManifestWorkEvictionGracePeriod: '10m' };
    expect(argsOf({ workConfiguration })['work-agent']).toEqual(
      expect.arrayContaining(['--status-sync-interval=20s', '--appliedmanifestwork-eviction-grace-period=10m']),
    );
    expect(argsOf({})['work-agent']).toContain('--status-sync-interval=60s');
    const several = argsOf({}, { replicas: 3 })['work-agent'];
    expect(several?.some((arg) => arg.startsWith('--status-sync-interval'))).toBe(false);
  });

  it('[cli D19] register and get works by gRPC', () => {
    const registrationConfiguration = { registrationDriver: { authType: 'grpc' as const } };
    const args = argsOf({ registrationConfiguration });
    const registration = [
      '--registration-auth=grpc',
      '--grpc-bootstrap-config=/spoke/bootstrap/config.yaml',
      '--grpc-config=/spoke/hub-kubeconfig/config.yaml',
    ];
    expect(args['registration-agent']).toEqual(expect.arrayContaining(registration));
    expect(args['work-agent']).toEqual(
      expect.arrayContaining([
        '--workload-source-driver=grpc',
        '--workload-source-config=/spoke/hub-kubeconfig/config.yaml',
        '--cloudevents-client-id=c1-work-agent',
      ]),
    );
    expect(argsOf({ ...singleton, registrationConfiguration }).agent).toEqual(expect.arrayContaining(registration));
  });

  it('[cli D20] register by AWS, with the IAM role of both clusters', () => {
    const registrationDriver = { authType: 'awsirsa' as const, awsIrsa: arns };
    const config = configFor({ registrationConfiguration: { registrationDriver } });
    const suffix = config.aws?.suffix ?? '';
    expect(suffix).toMatch(/^[0-9a-f]{32}$/);
    expect(argsOf({ registrationConfiguration: { registrationDriver } })['registration-agent']).toEqual(
      expect.arrayContaining([
        '--registration-auth=awsirsa',
        `--hub-cluster-arn=${arns.hubClusterArn}`,
        `--managed-cluster-arn=${arns.managedClusterArn}`,
        `--managed-cluster-role-suffix=${suffix}`,
      ]),
    );
    const accounts = managedAccess(config).filter(({ kind }) => kind === 'ServiceAccount');
    for (const { metadata } of accounts) {
      expect(metadata?.annotations).toEqual({
        'eks.amazonaws.com/role-arn': `arn:aws:iam::210987654321:role/ocm-managed-cluster-${suffix}`,
      });
    }
  });

  it('get the command line of AWS from the image of the operator where they are OCM’s, and none where they are Flotilla’s', () => {
    const registrationConfiguration = { registrationDriver: { authType: 'awsirsa' as const, awsIrsa: arns } };
    const imagesOf = (spec: Spec) =>
      agentDeployments(configFor({ registrationConfiguration, ...spec })).flatMap((deployment) =>
        (podOf(deployment)?.initContainers ?? []).map(({ image }) => image),
      );
    expect(imagesOf({ registrationImagePullSpec: 'registry.example.com/ocm/registration:v1' })).toEqual(['aws-cli:1']);
    expect(imagesOf({})).toEqual([]);
  });

  it('[cli D21] know several hubs', () => {
    const registrationConfiguration = {
      featureGates: [{ feature: 'MultipleHubs', mode: 'Enable' as const }],
      bootstrapKubeConfigs: {
        type: 'LocalSecrets' as const,
        localSecretsConfig: {
          kubeConfigSecrets: [{ name: 'hub1' }, { name: 'hub2' }],
          hubConnectionTimeoutSeconds: 300,
        },
      },
    };
    const config = configFor({ registrationConfiguration });
    const [registration] = agentDeployments(config);
    const args = podOf(registration)?.containers[0]?.args ?? [];
    expect(args).toEqual(
      expect.arrayContaining([
        '--bootstrap-kubeconfigs=/spoke/hub1/kubeconfig',
        '--bootstrap-kubeconfigs=/spoke/hub2/kubeconfig',
        '--hub-connection-timeout-seconds=300',
        '--feature-gates=MultipleHubs=true',
      ]),
    );
    expect(args.some((arg) => arg.startsWith('--bootstrap-kubeconfig='))).toBe(false);
    const mounted = podOf(registration)?.volumes?.flatMap(({ secret }) => secret?.secretName ?? []);
    expect(mounted).toEqual(['hub1', 'hub2']);
    const role = managementAccess(config).find(({ metadata }) => metadata?.name?.endsWith(':bootstrap-secrets'));
    expect(role).toMatchObject({ rules: [{ resources: ['secrets'], resourceNames: ['hub1', 'hub2'] }] });
  });

  it('have a limit of requests if the Klusterlet sets one, and not because the schema fills one in', () => {
    const flag = /--(hub-)?kube-api-/;
    const limits = (spec: Spec) =>
      Object.values(argsOf(spec))
        .flat()
        .filter((arg) => flag.test(arg));
    expect(limits({ workConfiguration: { kubeAPIQPS: 50, kubeAPIBurst: 100 } })).toEqual([]);
    expect(
      limits({ workConfiguration: { kubeAPIQPS: 10, kubeAPIBurst: 20, hubKubeAPIQPS: 5, hubKubeAPIBurst: 6 } }),
    ).toEqual(['--kube-api-qps=10', '--kube-api-burst=20', '--hub-kube-api-qps=5', '--hub-kube-api-burst=6']);
    const ocm = { workImagePullSpec: 'quay.io/open-cluster-management/work' };
    expect(limits({ ...ocm, workConfiguration: { kubeAPIQPS: 50, kubeAPIBurst: 100 } })).toHaveLength(2);
  });

  it('reach their managed cluster by a kubeconfig of their own when they are hosted', () => {
    for (const mode of ['Hosted', 'SingletonHosted']) {
      for (const deployment of agentDeployments(configFor({ deployOption: { mode } }, { replicas: 3 }))) {
        expect(deployment).toMatchObject({ metadata: { namespace: 'klusterlet' }, spec: { replicas: 1 } });
        expect(podOf(deployment)?.containers[0]?.args).toContain('--spoke-kubeconfig=/spoke/config/kubeconfig');
        const names = podOf(deployment)?.volumes?.flatMap(({ secret }) => secret?.secretName ?? []);
        expect(names?.some((name) => /^external-managed-kubeconfig-(registration|work|agent)$/.test(name))).toBe(true);
      }
    }
  });
});

describe('the rights of agents', () => {
  const rights = (spec: Spec, more?: Partial<ConfigFacts>) => {
    const config = configFor(spec, more);
    return [...managedAccess(config), ...managementAccess(config)];
  };

  it('have no wildcard', () => {
    for (const mode of ['Default', 'Singleton', 'Hosted', 'SingletonHosted']) {
      expect(JSON.stringify(rights({ deployOption: { mode } }))).not.toContain('"*"');
    }
  });

  it('leave out add-ons with their gate, and what works may contain where the operator shall not grant it', () => {
    const gate = { featureGates: [{ feature: 'AddonManagement', mode: 'Disable' as const }] };
    const role = rights({ registrationConfiguration: gate }).find(
      ({ kind, metadata }) => kind === 'ClusterRole' && metadata?.name?.endsWith('registration:addon-management'),
    );
    expect(role).toMatchObject({ rules: [] });
    const payloads = rights({}, { grantsWorkPayloads: false }).filter(({ metadata }) =>
      /work:(execution|aggregate|execution-admin)$/.test(metadata?.name ?? ''),
    );
    expect(payloads).toEqual([]);
  });

  it('are those of both modes while agents of both run', () => {
    const during = managedAccess(configFor(singleton, { isSwitching: true }));
    expect(during.filter(({ kind }) => kind === 'ServiceAccount')).toHaveLength(2);
    const binding = during.find(
      ({ kind, metadata }) => kind === 'ClusterRoleBinding' && metadata?.name?.endsWith('registration:agent'),
    );
    expect(binding).toMatchObject({
      subjects: [{ name: 'klusterlet-registration-sa' }, { name: 'klusterlet-work-sa' }],
    });
  });
});
