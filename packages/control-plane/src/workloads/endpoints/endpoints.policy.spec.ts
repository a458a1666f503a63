import type { Pod, Service } from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { slicesOf } from './endpoints.policy.ts';
import { serviceEndpoint } from './service-endpoint.ts';

const service = (targetPort?: number | string): Service => ({
  metadata: { namespace: 'a', name: 'web' },
  spec: { ports: [{ name: 'https', port: 443, ...(targetPort !== undefined && { targetPort }) }] },
});
const pod = (ip: string, rest: { ready?: boolean; phase?: string; deleted?: boolean; port?: number } = {}): Pod => ({
  metadata: { name: ip, ...(rest.deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
  spec: { containers: [{ name: 'main', ports: [{ name: 'serve', containerPort: rest.port ?? 9443 }] }] },
  status: {
    podIP: ip,
    phase: rest.phase ?? 'Running',
    conditions: [{ type: 'Ready', status: (rest.ready ?? true) ? 'True' : 'False' }],
  },
});
const summary = (slices: ReturnType<typeof slicesOf>) =>
  slices.map(({ ports, endpoints }) => [
    (ports ?? []).map(({ port }) => port).join(),
    (endpoints ?? [])
      .map(({ addresses, conditions }) => `${addresses[0]}${conditions?.ready ? '' : ' not ready'}`)
      .join(),
  ]);

describe('the slices of a Service', () => {
  it.each<[string, Service, Pod[], string[][]]>([
    [
      'have its pods, on the port that is named',
      service('serve'),
      [pod('10.0.0.2'), pod('10.0.0.1')],
      [['9443', '10.0.0.1,10.0.0.2']],
    ],
    ['take the port of the Service where none is named', service(), [pod('10.0.0.1')], [['443', '10.0.0.1']]],
    [
      'say which pods are not ready',
      service(8443),
      [pod('10.0.0.1', { ready: false })],
      [['8443', '10.0.0.1 not ready']],
    ],
    [
      'count a pod that is being deleted as not ready',
      service(8443),
      [pod('10.0.0.1', { deleted: true })],
      [['8443', '10.0.0.1 not ready']],
    ],
    [
      'leave out pods that ended or have no address',
      service(8443),
      [pod('10.0.0.1', { phase: 'Succeeded' }), pod('')],
      [],
    ],
    [
      'are apart for pods with other ports',
      service('serve'),
      [pod('10.0.0.1'), pod('10.0.0.2', { port: 1 })],
      [
        ['9443', '10.0.0.1'],
        ['1', '10.0.0.2'],
      ],
    ],
  ])('%s', (_what, one, pods, expected) => {
    expect(summary(slicesOf(one, pods))).toEqual(expected);
  });
});

describe('the endpoint of a webhook', () => {
  const lookup = (pods: Pod[]) => ({
    service: (key: string) => (key === 'a/web' ? service('serve') : undefined),
    slices: () =>
      slicesOf(service('serve'), pods).map((content) => ({
        ...content,
        addressType: 'IPv4',
        endpoints: content.endpoints ?? [],
        metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
      })),
  });

  it.each<[string, Pod[], { name?: string; port?: number }, string | undefined]>([
    [
      'is a ready pod of its Service',
      [pod('10.0.0.1', { ready: false }), pod('10.0.0.2')],
      {},
      'https://10.0.0.2:9443',
    ],
    ['is none while no pod is ready', [pod('10.0.0.1', { ready: false })], {}, undefined],
    ['is none at a port that the Service does not have', [pod('10.0.0.1')], { port: 80 }, undefined],
    ['is none of a Service that is not there', [pod('10.0.0.1')], { name: 'other' }, undefined],
  ])('%s', (_what, pods, reference, expected) => {
    expect(serviceEndpoint({ namespace: 'a', name: 'web', ...reference }, lookup(pods))).toBe(expected);
  });
});
