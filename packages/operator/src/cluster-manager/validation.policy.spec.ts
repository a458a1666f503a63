import type { ClusterManager, ClusterManagerSpec } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { gateFlags, invalidGates } from './feature-gates.policy.ts';
import { replicasOf } from './replicas.policy.ts';
import { tlsProfile } from './tls-profile.policy.ts';
import { problemsOf } from './validation.policy.ts';

const manager = (spec: ClusterManagerSpec, name = 'cluster-manager', creationTimestamp = '2026-01-02T00:00:00Z') =>
  ({ metadata: { name, creationTimestamp }, spec }) satisfies ClusterManager;
const problems = (spec: ClusterManagerSpec, ...others: ClusterManager[]) =>
  problemsOf(manager(spec), others, 'flotilla/hub');

const bound = (bindConfiguration: object): ClusterManagerSpec => ({
  deployOption: { mode: 'Default', default: { registrationWebhookConfiguration: { bindConfiguration } } },
});
const driver = (hubClusterArn?: string): ClusterManagerSpec => ({
  registrationConfiguration: {
    registrationDrivers: [{ authType: 'awsirsa', awsirsa: hubClusterArn ? { hubClusterArn } : {} }],
  },
});
const exposed = (host: string): ClusterManagerSpec => ({
  serverConfiguration: {
    endpointsExposure: [{ protocol: 'grpc', grpc: { type: 'hostname', hostname: { host } } }],
  },
});
const address = (value: string): ClusterManagerSpec => ({
  deployOption: {
    mode: 'Hosted',
    hosted: {
      registrationWebhookConfiguration: { address: value },
      workWebhookConfiguration: { address: 'work.example.com' },
    },
  },
});

describe('a bad spec', () => {
  it.each<[string, ClusterManagerSpec, string]>([
    ['a port out of range', bound({ port: 70_000 }), 'bindConfiguration.port 70000: a port is from 1 to 65535.'],
    ['no port', bound({ port: 0 }), 'bindConfiguration.port 0: a port is from 1 to 65535.'],
    ['a port that is taken twice', bound({ port: 8000 }), 'bindConfiguration.port 8000: another port has it too.'],
    ['a malformed ARN', driver('arn:aws:eks:x'), 'awsirsa.hubClusterArn "arn:aws:eks:x": it must be like arn:aws:eks:'],
    ['no ARN', driver(), 'awsirsa.hubClusterArn is missing. It is like arn:aws:eks:'],
    ['a URL as a host', exposed('https://a/b'), 'hostname.host "https://a/b": it must be a host name or an IP address'],
    ['a half IP address', exposed('10.0.0'), 'hostname.host "10.0.0": it must be'],
    ['a malformed address', address('-a-'), 'registrationWebhookConfiguration.address "-a-": it must be a host name'],
    [
      'a hosted hub without addresses',
      { deployOption: { mode: 'Hosted' } },
      'spec.deployOption.hosted.registrationWebhookConfiguration.address is missing. Give the name',
    ],
    [
      'a driver of works that our image lacks',
      { workConfiguration: { workDriver: 'mqtt', featureGates: [{ feature: 'CloudEventsDrivers', mode: 'Enable' }] } },
      'spec.workConfiguration.workDriver "mqtt": flotilla/hub has kube only. Use kube',
    ],
  ])('with %s is named with field, value and fix', (_, spec, message) => {
    expect(problems(spec).join(' ')).toContain(message);
  });

  it('with an unknown policy for duplicate identities is named with its values', () => {
    const named = (value: string) => {
      const annotations = { 'operator.open-cluster-management.io/duplicate-identity': value };
      return problemsOf({ metadata: { ...manager({}).metadata, annotations }, spec: {} }, [], 'flotilla/hub');
    };
    expect(named('never')).toEqual([
      'metadata.annotations["operator.open-cluster-management.io/duplicate-identity"] "never": it must be one of refuse, warn, allow.',
    ]);
    expect(named('refuse')).toEqual([]);
  });

  it.each<[string, ClusterManagerSpec]>([
    ['nothing', {}],
    ['ports that are switched off', bound({ healthProbePort: 0, metricsPort: -1 })],
    ['an ARN of another partition', driver('arn:aws-cn:eks:cn-north-1:123456789012:cluster/hub_1')],
    ['a host and a port', exposed('grpc.example.com:443')],
    ['an IPv6 address', exposed('fd00::1')],
    ['hosted addresses', address('10.0.0.1')],
  ])('is not one with %s', (_, spec) => {
    expect(problems(spec)).toEqual([]);
  });

  it('is a second hub of one cluster: the older one stays', () => {
    const older = manager({}, 'first', '2026-01-01T00:00:00Z');
    expect(problems({}, older)).toEqual([expect.stringContaining('ClusterManager first is the hub of this cluster')]);
    expect(problems({}, manager({}, 'third', '2026-01-03T00:00:00Z'))).toEqual([]);
    expect(problems({}, manager({ deployOption: { mode: 'Hosted' } }, 'first', '2026-01-01T00:00:00Z'))).toEqual([]);
  });

  it('may be the profile of TLS', () => {
    const data = { minTLSVersion: 'VersionTLS9', cipherSuites: 'NONE' };
    expect(tlsProfile({ metadata: { namespace: 'ns', name: 'ocm-tls-profile' }, data }).problems).toEqual([
      'ConfigMap ns/ocm-tls-profile: minTLSVersion "VersionTLS9" is not known. Use VersionTLS12 or VersionTLS13.',
      expect.stringContaining('cipherSuites "NONE" has no known suite'),
    ]);
  });
});

describe('feature gates', () => {
  const spec: ClusterManagerSpec = {
    registrationConfiguration: {
      featureGates: [
        { feature: 'ClusterProfile', mode: 'Enable' },
        { feature: 'ResourceCleanup', mode: 'Disable' },
        { feature: 'DefaultClusterSet', mode: 'Enable' },
        { feature: 'Foo', mode: 'Enable' },
      ],
    },
    workConfiguration: { workDriver: 'kube', featureGates: [{ feature: 'Bar' }] },
  };

  it('[cli C26] that do not exist are listed by component, and the others are applied', () => {
    expect(gateFlags(spec, 'Registration')).toEqual([
      '--feature-gates=ClusterProfile=true',
      '--feature-gates=ResourceCleanup=false',
    ]);
    const [registration, work] = invalidGates(spec);
    expect(registration).toMatch(
      /^Registration: \[Foo\] \(spec.registrationConfiguration.featureGates; the gates there/,
    );
    expect(work).toMatch(/^Work: \[Bar\]/);
  });
});

describe('replicas', () => {
  it.each([
    ['as many as the flag says', { given: 2, hosted: true, controlPlaneNodes: 5, nodes: 5 }, 2, /deployment-replicas/],
    ['one of a hosted hub', { given: 0, hosted: true, controlPlaneNodes: 3, nodes: 3 }, 1, /hosted/],
    [
      'one on one node of the control plane',
      { given: 0, hosted: false, controlPlaneNodes: 1, nodes: 9 },
      1,
      /1 control plane node$/,
    ],
    ['three on two of them', { given: 0, hosted: false, controlPlaneNodes: 2, nodes: 2 }, 3, /2 control plane nodes$/],
    [
      'one on a single node without a label',
      { given: 0, hosted: false, controlPlaneNodes: 0, nodes: 1 },
      1,
      /1 node and shows none/,
    ],
    [
      'three on managed Kubernetes, which shows no control plane',
      { given: 0, hosted: false, controlPlaneNodes: 0, nodes: 3 },
      3,
      /3 nodes and shows none/,
    ],
  ])('are %s', (_, input, expected, why) => {
    expect(replicasOf(input)).toEqual({ replicas: expected, why: expect.stringMatching(why) });
  });
});
