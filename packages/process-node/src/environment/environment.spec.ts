import type { Container, Pod } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { ContainerConfigError, containerEnvironment } from './container-environment.ts';
import { expand } from './expand.ts';
import { quantityValue } from './quantity.ts';
import { referencesOf } from './references.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const values = {
  secret: (name: string) => (name === 'login' ? { data: { user: base64('jane'), 'a.b': base64('c') } } : undefined),
  configMap: (name: string) => (name === 'settings' ? { data: { level: '3' } } : undefined),
};
const placement = { podIP: '127.9.9.2', hostIP: '127.9.9.1', allocatable: { cpu: '4', memory: '8Gi' } };
const podOf = (container: Partial<Container>): { pod: Pod; container: Container } => {
  const full = { name: 'main', ...container };
  const metadata = { name: 'web', namespace: 'shop', uid: 'u1', labels: { app: 'web' } };
  return { container: full, pod: { metadata, spec: { nodeName: 'n1', serviceAccountName: 'sa', containers: [full] } } };
};
const environmentOf = (container: Partial<Container>) =>
  containerEnvironment({ ...podOf(container), placement, values, base: { HOSTNAME: 'web' } });

describe('the variables of a container', () => {
  it.each([
    'NODE_OPTIONS',
    'NODE_PATH',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'PATH',
    'BASH_ENV',
    'PYTHONPATH',
    'NODE_COMPILE_CACHE',
    'NODE_OF_A_LATER_RELEASE',
    'PERLLIB',
    'PERL5LIB',
    'DOTNET_STARTUP_HOOKS',
    'CLASSPATH',
    'LUA_INIT',
    'LUA_INIT_5_4',
  ])('do not set %s, which chooses the code that a program loads, unless the node allows it', (name) => {
    const container = { env: [{ name, value: 'x' }] };
    expect(() => environmentOf(container)).toThrow(`env ${name}: the process node refuses variables that choose`);
    const input = { ...podOf(container), placement, values, base: {}, allowedVariables: [name] };
    expect(containerEnvironment(input)).toEqual({ [name]: 'x' });
  });

  it.each(['NODE_NAME', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'PERL_MM_OPT', 'CLASSPATHS'])('may set %s', (name) => {
    expect(environmentOf({ env: [{ name, value: 'x' }] })).toMatchObject({ [name]: 'x' });
  });

  it('do not set such a variable from a ConfigMap either', () => {
    const chosen = { ...values, configMap: () => ({ data: { OPTIONS: '--import=x' } }) };
    const container = { envFrom: [{ prefix: 'NODE_', configMapRef: { name: 'settings' } }] };
    expect(() => containerEnvironment({ ...podOf(container), placement, values: chosen, base: {} })).toThrow(
      ContainerConfigError,
    );
  });

  it.each<[string, Partial<Container>, Record<string, string>]>([
    [
      'come as values, which may use those before them',
      {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '$(A)2' },
        ],
      },
      { A: '1', B: '12' },
    ],
    ['may use those of the node', { env: [{ name: 'A', value: '$(HOSTNAME)' }] }, { A: 'web' }],
    [
      'come from fields of the pod',
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } }] },
      { A: 'web' },
    ],
    [
      'come from its placement',
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }] },
      { A: '127.9.9.2' },
    ],
    [
      'come from limits, in units of the divisor and rounded up',
      {
        resources: { limits: { memory: '100Mi' } },
        env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '64Mi' } } }],
      },
      { A: '2' },
    ],
    [
      'come from what the node has, where there is no limit',
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] },
      { A: '4' },
    ],
    [
      'come from keys of Secrets',
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'login', key: 'user' } } }] },
      { A: 'jane' },
    ],
    [
      'come from whole ConfigMaps, with a prefix',
      { envFrom: [{ prefix: 'S_', configMapRef: { name: 'settings' } }] },
      { S_level: '3' },
    ],
    [
      'are left out where an optional object is missing',
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'no', key: 'x', optional: true } } }] },
      {},
    ],
  ])('%s', (_what, container, expected) => {
    expect(environmentOf(container)).toEqual({ HOSTNAME: 'web', ...expected });
  });

  it.each<[string, Partial<Container>, string]>([
    [
      'a missing Secret',
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'no', key: 'x' } } }] },
      'secret "no" not found',
    ],
    [
      'a missing key',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'x' } } }] },
      "couldn't find key x in ConfigMap shop/settings",
    ],
    [
      'a missing ConfigMap of which all is wanted',
      { envFrom: [{ configMapRef: { name: 'no' } }] },
      'configmap "no" not found',
    ],
    [
      'a field that cannot be referenced',
      { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }] },
      'env A: field "spec.x" cannot be referenced',
    ],
  ])('cannot be had with %s, and the message says so', (_what, container, message) => {
    expect(() => environmentOf(container)).toThrow(new ContainerConfigError(message));
  });
});

it.each([
  ['$(A)-$(B)', '1-$(B)'],
  ['$$(A)', '$(A)'],
  ['$A', '$A'],
  ['$(A', '$(A'],
])('expands %s to %s', (text, expected) => {
  expect(expand(text, { A: '1' })).toBe(expected);
});

it.each([
  ['500m', 0.5],
  ['64Mi', 64 * 2 ** 20],
  ['1e3', 1000],
  ['2', 2],
  ['two', undefined],
  ['1Xi', undefined],
])('reads the quantity %s as %s', (text, expected) => {
  expect(quantityValue(text)).toBe(expected);
});

it('finds all objects that a pod refers to', () => {
  const { pod } = podOf({
    env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's1', key: 'x' } } }],
    envFrom: [{ configMapRef: { name: 'c1' } }],
  });
  const volumes = [
    { name: 'a', secret: { secretName: 's2' } },
    { name: 'b', projected: { sources: [{ configMap: { name: 'c2' } }, { secret: { name: 's3' } }] } },
  ];
  const { secrets, configMaps } = referencesOf({ ...pod, spec: { containers: [], ...pod.spec, volumes } });
  expect([...secrets, ...configMaps]).toEqual(['s1', 's2', 's3', 'c1', 'c2']);
});
