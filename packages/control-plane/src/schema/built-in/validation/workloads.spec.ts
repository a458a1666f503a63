import { describe, expect, it } from 'vitest';
import { refusals } from '../../../../fixtures/object-schemas.ts';

const template = (container: object = {}, spec: object = {}) => ({
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'x', image: 'y', ...container }], ...spec },
});
const workload = (spec: object = {}) => ({
  spec: { selector: { matchLabels: { a: 'b' } }, template: template(), ...spec },
});

describe('workloads', () => {
  it.each([
    ['a deployment may be all defaults', 'apps/deployments', workload(), []],
    [
      'a deployment has a selector and containers',
      'apps/deployments',
      { spec: {} },
      [
        'spec.selector: Required value',
        'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
        'spec.template.spec.containers: Required value',
      ],
    ],
    [
      'the selector selects the pods of the template',
      'apps/deployments',
      workload({ selector: { matchLabels: { a: 'c' } } }),
      ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
    ],
    [
      'a selector that selects all pods is refused',
      'apps/deployments',
      workload({ selector: {} }),
      ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ],
    [
      'replicas are counted from nothing',
      'apps/deployments',
      workload({ replicas: -1 }),
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a rollout goes on somewhere',
      'apps/deployments',
      workload({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      'pods of a deployment run for ever',
      'apps/deployments',
      workload({ template: template({}, { restartPolicy: 'Never' }) }),
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    [
      'a daemon set surges or makes room, not both',
      'apps/daemonsets',
      workload({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
      ['spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
    ],
    [
      'claims of a stateful set are complete',
      'apps/statefulsets',
      workload({ volumeClaimTemplates: [{ spec: {} }] }),
      [
        'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
        'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
      ],
    ],
  ])('%s', async (_what, storage, object, expected) => {
    expect(await refusals(storage, object)).toEqual(expected);
  });

  it.each(['apps/deployments', 'apps/replicasets', 'apps/daemonsets'])('the selector of %s stays', async (storage) => {
    const next = workload({
      selector: { matchLabels: { a: 'b', c: 'd' } },
      template: { ...template(), metadata: { labels: { a: 'b', c: 'd' } } },
    });
    expect(await refusals(storage, next, workload())).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable',
    ]);
  });
});

describe('containers', () => {
  it.each([
    ['a container has an image', { image: '' }, ['image: Required value']],
    ['a name is a label', { name: 'a.b' }, ['name: Invalid value: "a.b": must not contain dots']],
    [
      'a port is in range',
      { ports: [{ containerPort: 70000 }] },
      ['ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive'],
    ],
    [
      'a mount is of a volume',
      { volumeMounts: [{ name: 'v', mountPath: '/x' }] },
      ['volumeMounts[0].name: Not found: "v"'],
    ],
    [
      'a variable has one source',
      { env: [{ name: 'A', valueFrom: {} }] },
      [
        'env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ],
    ],
    [
      'a request is not more than the limit',
      { resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } },
      ['resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [
      'resources have known names',
      { resources: { requests: { foo: '1' } } },
      [
        'resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers',
        'resources.requests[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      ],
    ],
    ['a probe says how', { livenessProbe: {} }, ['livenessProbe: Required value: must specify a handler type']],
    [
      'life is proven once',
      { livenessProbe: { exec: { command: ['x'] }, successThreshold: 2 } },
      ['livenessProbe.successThreshold: Invalid value: 2: must be 1'],
    ],
    [
      'a policy is one of three',
      { imagePullPolicy: 'Foo' },
      ['imagePullPolicy: Unsupported value: "Foo": supported values: "Always", "IfNotPresent", "Never"'],
    ],
  ])('%s', async (_what, container, expected) => {
    const spec = { containers: [{ name: 'x', image: 'y', ...container }] };
    expect(await refusals('/pods', { spec })).toEqual(expected.map((line) => `spec.containers[0].${line}`));
  });
});

describe('pods', () => {
  it('a running pod changes its image only', async () => {
    const pod = (container: object) => ({ spec: template(container).spec });
    expect(await refusals('/pods', pod({ image: 'z' }), pod({}))).toEqual([]);
    expect(await refusals('/pods', pod({ args: ['z'] }), pod({}))).toEqual([
      expect.stringContaining(
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
      ),
    ]);
  });

  it.each([
    [
      'a toleration of all taints has the operator Exists',
      { tolerations: [{ value: 'x' }] },
      [
        'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'a volume has one source',
      { volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] },
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'without a DNS policy there is a DNS config',
      { dnsPolicy: 'None' },
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
  ])('%s', async (_what, spec, expected) => {
    expect(await refusals('/pods', { spec: { ...template().spec, ...spec } })).toEqual(expected);
  });
});
