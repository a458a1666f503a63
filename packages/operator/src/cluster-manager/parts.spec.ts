import type { ClusterManagerSpec } from '@flotilla/api-types';
import { type OperatedHub, operatedHubObjects, operatedRuntimeObjects, operatedWebhooks } from '@flotilla/install';
import type { ClusterRole, Deployment, Service } from '@flotilla/kube/kinds';
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
  tls?: Record<string, string>;
  hasPullSecret?: boolean;
  replicas?: number;
}

/** All objects of a hub. */
const render = (spec: ClusterManagerSpec, { labels, tls, hasPullSecret = false, replicas = 1 }: Surroundings = {}) => {
  const profile = tlsProfile(tls && { metadata: { namespace: 'n', name: 'm' }, data: tls });
  const metadata = { name: 'cluster-manager', ...(labels && { labels }) };
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
const off = (feature: string) => ({ feature, mode: 'Disable' as const });
const drivers = (
  ...registrationDrivers: NonNullable<
    NonNullable<ClusterManagerSpec['registrationConfiguration']>['registrationDrivers']
  >
): ClusterManagerSpec => ({ registrationConfiguration: { registrationDrivers } });

describe('a hub with an image of OCM', () => {
  const spec: ClusterManagerSpec = {
    registrationImagePullSpec: 'quay.io/open-cluster-management/registration:v1.2.1',
    workImagePullSpec: 'quay.io/open-cluster-management/work:v1.2.1',
    workConfiguration: {
      workDriver: 'kube',
      featureGates: [on('ManifestWorkReplicaSet'), on('ManifestWorkReplicaSetRevisions')],
    },
    serverConfiguration: { featureGates: [on('ClusterProxy'), on('PushAgents')] },
  };

  it('does not hand gates to it that OCM does not have, and would end at', () => {
    expect(render(spec).args('work-controller')).toContain('--feature-gates=ManifestWorkReplicaSet=true');
    expect(render(spec).args('work-controller').join(' ')).not.toContain('Revisions');
  });

  it('is not asked about writes that its webhook servers do not know', () => {
    const names = (hub: OperatedHub) =>
      operatedWebhooks(hub, '', ['registration', 'work']).flatMap(({ metadata }) => metadata?.name ?? []);
    const own = [
      'manifestworkreplicasetvalidators.admission.work.open-cluster-management.io',
      'managedclusteraddonvalidators.admission.addon.open-cluster-management.io',
    ];
    expect(names(render({}).hub)).toEqual(expect.arrayContaining(own));
    for (const name of own) expect(names(render(spec).hub)).not.toContain(name);
  });

  it('runs programs that OCM does not have from the image of the operator', () => {
    for (const part of ['cluster-proxy', 'push-agents']) {
      expect(render(spec).program(part)?.spec?.template.spec?.containers[0]?.image).toBe('flotilla/hub:1');
    }
  });
});

describe('a hub with gRPC', () => {
  it('[cli C21] [grpc-cloudevents 26.7-65] has the server and its rights, and the controllers have its authority', () => {
    const { program, args, named } = render(
      drivers({ authType: 'csr' }, { authType: 'grpc', grpc: { autoApprovedIdentities: ['u'] } }),
    );
    expect(args('registration-controller')).toEqual(
      expect.arrayContaining([
        '--grpc-ca-file=/var/run/secrets/hub/grpc/certs/tls.crt',
        '--grpc-key-file=/var/run/secrets/hub/grpc/certs/tls.key',
        '--auto-approved-grpc-users=u',
        '--enabled-registration-drivers=csr,grpc',
      ]),
    );
    const volumes = program('registration-controller')?.spec?.template.spec?.volumes ?? [];
    expect(volumes.map(({ name }) => name)).toContain('grpc-server-singer');
    expect(named('ServiceAccount', 'grpc-server-sa')).toBeDefined();
    expect(named('ClusterRole', 'open-cluster-management:cluster-manager-grpc-server')).toBeDefined();
    expect(render({}).named('ServiceAccount', 'grpc-server-sa')).toBeUndefined();
  });

  it.each([
    ['nothing', undefined, 'ClusterIP', 8090],
    ['hostname', { type: 'hostname', hostname: { host: 'grpc.example.com' } }, 'ClusterIP', 8090],
    ['loadBalancer', { type: 'loadBalancer' }, 'LoadBalancer', 443],
  ] as const)('[cli C22] [grpc-cloudevents 26.7-67] is exposed by %s', (_, grpc, type, port) => {
    const { named } = render({
      ...drivers({ authType: 'grpc' }),
      ...(grpc && { serverConfiguration: { endpointsExposure: [{ protocol: 'grpc', grpc }] } }),
    });
    const { spec } = named<Service>('Service', 'cluster-manager-grpc-server') ?? {};
    expect([spec?.type, spec?.ports?.[0]?.port, spec?.ports?.[0]?.targetPort]).toEqual([type, port, 8090]);
  });
});

describe('the rights of a hub', () => {
  it('[cli C09] include ClusterProfiles with their gate only', () => {
    const groups = (...featureGates: ReturnType<typeof on>[]) =>
      render({ registrationConfiguration: { featureGates } })
        .rules('registration:controller')
        .flatMap(({ apiGroups }) => apiGroups ?? []);
    expect(groups(on('ClusterProfile'))).toContain('multicluster.x-k8s.io');
    expect(groups()).not.toContain('multicluster.x-k8s.io');
  });

  it('grant nothing by wildcard', () => {
    const { objects } = render({
      ...drivers({ authType: 'grpc' }),
      placementConfiguration: { featureGates: [on('PlacementDebugServer')] },
      workConfiguration: { featureGates: [on('ManifestWorkReplicaSet')] },
    });
    const rules = objects.flatMap((object) => ('rules' in object ? ((object as ClusterRole).rules ?? []) : []));
    expect(rules.length).toBeGreaterThan(40);
    for (const { apiGroups = [], resources = [], verbs } of rules) {
      expect([...apiGroups, ...resources, ...verbs]).not.toContain('*');
    }
  });

  it('are those of parts that run', () => {
    const { named } = render({ addOnManagerConfiguration: { featureGates: [off('AddonManagement')] } });
    expect(named('ClusterRole', 'open-cluster-management:cluster-manager-addon-manager:controller')).toBeUndefined();
    expect(named('ClusterRole', 'open-cluster-management:cluster-manager-work:controller')).toBeUndefined();
  });
});

describe('a hosted hub', () => {
  const hosted = (address: string): ClusterManagerSpec => ({
    deployOption: {
      mode: 'Hosted',
      hosted: {
        registrationWebhookConfiguration: { address, port: 9443 },
        workWebhookConfiguration: { address },
      },
    },
  });

  it('[cli C30] is reached at an IP address by endpoints, and at a name by an external name', () => {
    const byIp = render(hosted('1.2.3.4'));
    expect(byIp.named<Service>('Service', 'cluster-manager-registration-webhook')?.spec).toMatchObject({
      type: 'ClusterIP',
      ports: [{ port: 9443 }],
    });
    expect(byIp.named('EndpointSlice', 'cluster-manager-registration-webhook')).toMatchObject({
      endpoints: [{ addresses: ['1.2.3.4'] }],
      ports: [{ port: 9443 }],
    });
    const byName = render(hosted('foo.example.com'));
    expect(byName.named<Service>('Service', 'cluster-manager-work-webhook')?.spec).toMatchObject({
      type: 'ExternalName',
      externalName: 'foo.example.com',
    });
    expect(byName.named('EndpointSlice', 'cluster-manager-work-webhook')).toBeUndefined();
  });

  it('runs programs as nobody on the management cluster, each with a kubeconfig of the hub', () => {
    const { programs, hub } = render(hosted('1.2.3.4'));
    expect(hub.namespace).toBe('cluster-manager');
    for (const { spec } of programs) {
      const pod = spec?.template.spec;
      expect(pod).not.toHaveProperty('serviceAccountName');
      expect(pod?.containers[0]?.args).toContain('--kubeconfig=/var/run/secrets/hub/kubeconfig');
      expect(pod?.volumes?.find(({ name }) => name === 'kubeconfig')?.secret?.secretName).toMatch(/-sa-kubeconfig$/);
    }
  });
});
