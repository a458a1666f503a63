import { expect, it } from 'vitest';
import { refusals } from '../../../../fixtures/object-schemas.ts';

const quota = (spec: object) => ({ spec });
const limited = (fields: object) => ({ spec: { type: 'Limited', limited: fields } });

it.each([
  ['a storage class has a provisioner', 'storage.k8s.io/storageclasses', {}, ['provisioner: Required value']],
  [
    'volumes are bound at once or for the first consumer',
    'storage.k8s.io/storageclasses',
    { provisioner: 'x', volumeBindingMode: 'Never' },
    ['volumeBindingMode: Unsupported value: "Never": supported values: "Immediate", "WaitForFirstConsumer"'],
  ],
  [
    'an attachment is of one volume',
    'storage.k8s.io/volumeattachments',
    { spec: { attacher: 'a', nodeName: 'n' } },
    ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'a driver is on a node once',
    'storage.k8s.io/csinodes',
    {
      spec: {
        drivers: [
          { name: 'd', nodeID: 'n' },
          { name: 'd', nodeID: 'n' },
        ],
      },
    },
    ['spec.drivers[1].name: Duplicate value: "d"'],
  ],
  [
    'a quota limits what the server can count',
    '/resourcequotas',
    quota({ hard: { apples: '1', pods: '1500m' } }),
    [
      'spec.hard[apples]: Invalid value: "apples": must be a standard resource for quota',
      'spec.hard[apples]: Invalid value: "apples": must be a standard resource type or fully qualified',
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
    ],
  ],
  [
    'a quota of pods without limits cannot limit compute',
    '/resourcequotas',
    quota({ hard: { 'requests.cpu': '1' }, scopes: ['BestEffort'] }),
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [
    'scopes do not exclude each other',
    '/resourcequotas',
    quota({ hard: { pods: '1' }, scopes: ['Terminating', 'NotTerminating'] }),
    ['spec.scopes: Invalid value: ["Terminating","NotTerminating"]: conflicting scopes'],
  ],
  [
    'an API service is named by version and group',
    'apiregistration.k8s.io/apiservices',
    { spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 } },
    ['metadata.name: Invalid value: "a": must be `spec.version+"."+spec.group`: "v1.example.com"'],
  ],
  [
    'a replication controller selects what its template makes',
    '/replicationcontrollers',
    {
      spec: {
        selector: { app: 'y' },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [
    'only one schema comes before all others',
    'flowcontrol.apiserver.k8s.io/flowschemas',
    { spec: { matchingPrecedence: 1, priorityLevelConfiguration: { name: 'x' } } },
    ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ],
  [
    'a hand is dealt from the queues',
    'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations',
    limited({ limitResponse: { type: 'Queue', queuing: { handSize: 9, queues: 8 } } }),
    ['spec.limited.limitResponse.queuing.handSize: Invalid value: 9: should not be greater than queues (8)'],
  ],
  ['a runtime class has a handler', 'node.k8s.io/runtimeclasses', {}, ['handler: Required value']],
  [
    'an autoscaler scales something that has a scale',
    'autoscaling/horizontalpodautoscalers',
    { spec: { maxReplicas: 1, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
    ['spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'],
  ],
])('%s', async (_rule, storage, object, expected) => {
  expect(await refusals(storage, object)).toEqual(expected);
});
