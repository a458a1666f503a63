import { expect, it } from 'vitest';
import { refusals } from '../../../../fixtures/object-schemas.ts';

const webhook = (fields: object = {}) => ({
  webhooks: [
    {
      name: 'hook.example.com',
      clientConfig: { service: { name: 's', namespace: 'n' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...fields,
    },
  ],
});
const webhooks = 'admissionregistration.k8s.io/validatingwebhookconfigurations';
const csr = 'certificates.k8s.io/certificatesigningrequests';
const service = (spec: object) => ({
  spec: { clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 80 }], ...spec },
});

it.each([
  [
    'keys of a config map are file names',
    '/configmaps',
    { data: { 'a/b': 'x' } },
    [expect.stringContaining('data[a/b]: Invalid value: "a/b": a valid config key must consist of')],
  ],
  [
    'a key is text or bytes, not both',
    '/configmaps',
    { data: { a: 'x' }, binaryData: { a: 'eA==' } },
    ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  ],
  [
    'a config map is small',
    '/configmaps',
    { data: { a: 'x'.repeat(1048577) } },
    ['[]: Too long: may not be more than 1048576 bytes'],
  ],
  [
    'a TLS secret has both halves',
    '/secrets',
    { type: 'kubernetes.io/tls' },
    ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  ],
  [
    'a token secret names its account',
    '/secrets',
    { type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
  ['a service has ports', '/services', { spec: {} }, ['spec.ports: Required value']],
  [
    'ports of a service have different names',
    '/services',
    service({ ports: [{ port: 80 }, { port: 81 }] }),
    ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
  ],
  [
    'a service of another name has no address',
    '/services',
    { spec: { type: 'ExternalName', externalName: 'x.y', clusterIPs: ['10.0.0.1'] } },
    ['spec.clusterIPs: Forbidden: may not be set for ExternalName services'],
  ],
  [
    'a namespace is finalized by those with a domain',
    '/namespaces',
    { spec: { finalizers: ['mine'] } },
    ['spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified'],
  ],
  [
    'a claim asks for something',
    '/persistentvolumeclaims',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '0' } } } },
    ['spec.resources[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    'an event is where its object is',
    '/events',
    { involvedObject: { kind: 'Pod', namespace: 'other' } },
    ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  ],
  [
    'a request is a certificate request',
    csr,
    { spec: { request: 'eA==', signerName: 'a.b/c', usages: ['client auth'] } },
    ['spec.request: Invalid value: "eA==": PEM block type must be CERTIFICATE REQUEST'],
  ],
  [
    'a webhook has a full name',
    webhooks,
    webhook({ name: 'a.b' }),
    ['webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots'],
  ],
  [
    'a webhook is asked over TLS',
    webhooks,
    webhook({ clientConfig: { url: 'http://x' } }),
    [
      'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
    ],
  ],
  [
    'a webhook has no side effects',
    webhooks,
    webhook({ sideEffects: 'Some' }),
    ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
  ],
  [
    'a webhook answers in time',
    webhooks,
    webhook({ timeoutSeconds: 31 }),
    ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
  ],
  [
    'a lease lasts',
    'coordination.k8s.io/leases',
    { spec: { leaseDurationSeconds: 0 } },
    ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
  ],
  [
    'an ingress goes somewhere',
    'networking.k8s.io/ingresses',
    { spec: {} },
    ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
  ],
  [
    'a policy names its peers',
    'networking.k8s.io/networkpolicies',
    { spec: { ingress: [{ from: [{}] }] } },
    ['spec.ingress[0].from[0]: Required value: must specify a peer'],
  ],
  [
    'priorities of the system are its own',
    'scheduling.k8s.io/priorityclasses',
    { metadata: { name: 'system-x' }, value: 1 },
    [expect.stringContaining("priority class names with 'system-' prefix are reserved for system use only")],
  ],
  [
    'a slice has addresses of one kind',
    'discovery.k8s.io/endpointslices',
    { addressType: 'IPv4', endpoints: [{ addresses: ['::1'] }] },
    ['endpoints[0].addresses[0]: Invalid value: "::1": must be an IPv4 address'],
  ],
  [
    'a role of rules says what may be done',
    'rbac.authorization.k8s.io/roles',
    { rules: [{ apiGroups: [''], resources: ['pods'] }] },
    ['rules[0].verbs: Required value: verbs must contain at least one value'],
  ],
])('%s', async (_what, storage, object, expected) => {
  expect(await refusals(storage, object)).toEqual(expected);
});

it.each([
  ['', 'spec.signerName: Required value'],
  [
    'x',
    'spec.signerName: Invalid value: "x": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
  ],
  ['x/y', 'spec.signerName: Invalid value: "x": should be a domain with at least two segments separated by dots'],
  ['a.b/C', expect.stringContaining('spec.signerName: Invalid value: "C": validating label "C"')],
])('a signer called "%s" is refused', async (signerName, expected) => {
  expect(await refusals(csr, { spec: { request: 'eA==', signerName, usages: ['client auth'] } })).toContainEqual(
    expected,
  );
});

it.each([
  [
    'a frozen config map',
    '/configmaps',
    { immutable: true, data: { a: 'c' } },
    { immutable: true, data: { a: 'b' } },
    'data: Forbidden: field is immutable when `immutable` is set',
  ],
  ['the type of a secret', '/secrets', { type: 'x' }, { type: 'y' }, 'type: Invalid value: "x": field is immutable'],
  [
    'the value of a priority class',
    'scheduling.k8s.io/priorityclasses',
    { value: 2 },
    { value: 1 },
    'value: Forbidden: may not be changed in an update.',
  ],
  [
    'the address of a service',
    '/services',
    service({ clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] }),
    service({ clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] }),
    'spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set',
  ],
  [
    'the role of a binding',
    'rbac.authorization.k8s.io/rolebindings',
    { roleRef: { kind: 'Role', name: 'x' } },
    { roleRef: { kind: 'Role', name: 'y' } },
    'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"x"}: cannot change roleRef',
  ],
])('%s does not change', async (_what, storage, next, old, expected) => {
  expect(await refusals(storage, next, old)).toEqual([expected]);
});
