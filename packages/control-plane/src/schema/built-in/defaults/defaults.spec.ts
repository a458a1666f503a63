import { describe, expect, it } from 'vitest';
import { defaulted } from '../../../../fixtures/object-schemas.ts';

const podSpec = (container: object = {}, spec: object = {}) => ({
  spec: { containers: [{ name: 'x', image: 'y:1', ...container }], ...spec },
});

describe('defaults of pods', () => {
  it.each([
    ['an image without a tag is pulled each time', 'y', 'Always'],
    ['so is the latest', 'y:latest', 'Always'],
    ['a tag is pulled once', 'y:1', 'IfNotPresent'],
    ['a port of a registry is not a tag', 'registry:5000/y', 'Always'],
    ['a digest never changes', 'y@sha256:abc', 'IfNotPresent'],
  ])('%s', (_what, image, imagePullPolicy) => {
    expect(defaulted('/pods', podSpec({ image }))).toMatchObject({ spec: { containers: [{ imagePullPolicy }] } });
  });

  it.each([
    ['a limit is also the request', { resources: { limits: { cpu: '1' } } }, { resources: { requests: { cpu: '1' } } }],
    [
      'a probe has its times',
      { livenessProbe: { httpGet: { port: 80 } } },
      { livenessProbe: { periodSeconds: 10, failureThreshold: 3, httpGet: { path: '/', scheme: 'HTTP' } } },
    ],
    [
      'a field of the pod is of v1',
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      { env: [{ valueFrom: { fieldRef: { apiVersion: 'v1' } } }] },
    ],
    ['a port is TCP', { ports: [{ containerPort: 80 }] }, { ports: [{ protocol: 'TCP' }] }],
  ])('%s', (_what, container, expected) => {
    expect(defaulted('/pods', podSpec(container))).toMatchObject({ spec: { containers: [expected] } });
  });

  it.each([
    ['a volume that says nothing is an empty directory', { name: 'v' }, { emptyDir: {} }],
    ['files can be read by all', { name: 'v', secret: { secretName: 's' } }, { secret: { defaultMode: 420 } }],
    [
      'a token lives for an hour',
      { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3600 } }] } },
    ],
  ])('%s', (_what, volume, expected) => {
    expect(defaulted('/pods', podSpec({}, { volumes: [volume] }))).toMatchObject({ spec: { volumes: [expected] } });
  });

  it('both names of the service account say the same', () => {
    expect(defaulted('/pods', podSpec({}, { serviceAccount: 'sa' }))).toMatchObject({
      spec: { serviceAccount: 'sa', serviceAccountName: 'sa' },
    });
  });

  it('ports on the network of the host are ports of the host, but not in templates', () => {
    const spec = podSpec({ ports: [{ containerPort: 80 }] }, { hostNetwork: true });
    expect(defaulted('/pods', spec)).toMatchObject({ spec: { containers: [{ ports: [{ hostPort: 80 }] }] } });
    expect(defaulted('apps/deployments', { spec: { template: spec } })).not.toHaveProperty(
      'spec.template.spec.containers[0].ports[0].hostPort',
    );
  });
});

describe('defaults of workloads', () => {
  it.each([
    [
      'a deployment rolls out a quarter at a time',
      'apps/deployments',
      {},
      { replicas: 1, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } } },
    ],
    [
      'a daemon set replaces one after the other',
      'apps/daemonsets',
      {},
      { updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } },
    ],
    [
      'a stateful set keeps its claims',
      'apps/statefulsets',
      {},
      { podManagementPolicy: 'OrderedReady', persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' } },
    ],
    [
      'a job runs one pod',
      'batch/jobs',
      {},
      { completions: 1, parallelism: 1, backoffLimit: 6, completionMode: 'NonIndexed' },
    ],
    [
      'a cron job keeps three good jobs and one bad',
      'batch/cronjobs',
      {},
      { successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1, concurrencyPolicy: 'Allow' },
    ],
  ])('%s', (_what, storage, spec, expected) => {
    expect(defaulted(storage, { spec })).toMatchObject({ spec: expected });
  });
});

it('a job that says how many run at once does not say how many complete', () => {
  const job = defaulted('batch/jobs', { spec: { parallelism: 3 } });
  expect(job).toMatchObject({ spec: { parallelism: 3 } });
  expect(job).not.toHaveProperty('spec.completions');
});

describe('defaults of other kinds', () => {
  it('text of a secret becomes data and wins over it', () => {
    const secret = defaulted('/secrets', { stringData: { a: 'b' }, data: { a: 'Yw==', c: 'ZA==' } });
    expect(secret).toMatchObject({ type: 'Opaque', data: { a: 'Yg==', c: 'ZA==' } });
    expect(secret).not.toHaveProperty('stringData');
  });

  it.each([
    [
      'a namespace has its name as a label',
      '/namespaces',
      {},
      { metadata: { labels: { 'kubernetes.io/metadata.name': 'a' } } },
    ],
    [
      'a service without a target goes to its own port',
      '/services',
      { spec: { ports: [{ port: 80 }] } },
      {
        spec: {
          type: 'ClusterIP',
          sessionAffinity: 'None',
          internalTrafficPolicy: 'Cluster',
          ports: [{ protocol: 'TCP', targetPort: 80 }],
        },
      },
    ],
    [
      'a load balancer is reachable from outside',
      '/services',
      { spec: { type: 'LoadBalancer' } },
      { spec: { externalTrafficPolicy: 'Cluster', allocateLoadBalancerNodePorts: true } },
    ],
    [
      'a role of a binding is of RBAC',
      'rbac.authorization.k8s.io/rolebindings',
      {
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'ServiceAccount', name: 's' },
        ],
      },
      {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io' }, { kind: 'ServiceAccount' }],
      },
    ],
    [
      'a webhook that cannot be asked refuses',
      'admissionregistration.k8s.io/mutatingwebhookconfigurations',
      { webhooks: [{ name: 'w', clientConfig: { service: {} }, rules: [{}] }] },
      {
        webhooks: [
          {
            failurePolicy: 'Fail',
            timeoutSeconds: 10,
            reinvocationPolicy: 'Never',
            clientConfig: { service: { port: 443 } },
            rules: [{ scope: '*' }],
          },
        ],
      },
    ],
    [
      'a policy with rules for what goes out is about both ways',
      'networking.k8s.io/networkpolicies',
      { spec: { egress: [{}] } },
      { spec: { policyTypes: ['Ingress', 'Egress'] } },
    ],
    [
      'a node gives away all it has',
      '/nodes',
      { status: { capacity: { cpu: 4 } } },
      { status: { allocatable: { cpu: '4' } } },
    ],
    [
      'limits fill in for one another',
      '/limitranges',
      { spec: { limits: [{ type: 'Container', max: { cpu: '1' }, min: { memory: '1Mi' } }] } },
      { spec: { limits: [{ default: { cpu: '1' }, defaultRequest: { cpu: '1', memory: '1Mi' } }] } },
    ],
  ])('%s', (_what, storage, object, expected) => {
    expect(defaulted(storage, object)).toMatchObject(expected);
  });
});
