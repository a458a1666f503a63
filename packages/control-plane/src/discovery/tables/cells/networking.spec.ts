import { describe, expect, it } from 'vitest';
import { meta, type RowCase, rowOf } from '../../../../fixtures/table-row.ts';

const service = (spec: object, ingress: object[] = []) => ({
  spec: { clusterIPs: ['10.0.0.1'], ports: [{ port: 80, protocol: 'TCP' }], ...spec },
  status: { loadBalancer: { ingress } },
});
const rule = (host: string) => ({ host });

const cases: readonly RowCase[] = [
  [
    'a Service inside the cluster',
    '/services',
    service({ type: 'ClusterIP', selector: { b: '1', a: '2' } }),
    ['x', 'ClusterIP', '10.0.0.1', '<none>', '80/TCP', '120m', 'a=2,b=1'],
  ],
  [
    'a Service behind a load balancer',
    '/services',
    service({ type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }] }, [
      { ip: '9.9.9.9' },
      { hostname: 'a.example.com' },
      { ip: '1.1.1.1' },
    ]),
    ['x', 'LoadBalancer', '10.0.0.1', '1.1.1.1,9.9.9.9,a.example.com', '80:30080/TCP', '120m', '<none>'],
  ],
  [
    'a Service that waits for its load balancer',
    '/services',
    service({ type: 'LoadBalancer' }),
    ['x', 'LoadBalancer', '10.0.0.1', '<pending>', '80/TCP', '120m', '<none>'],
  ],
  [
    'a Service that is another name',
    '/services',
    { spec: { type: 'ExternalName', externalName: 'x.example.com' } },
    ['x', 'ExternalName', '<none>', 'x.example.com', '<none>', '120m', '<none>'],
  ],
  [
    'Endpoints by the first three addresses',
    '/endpoints',
    {
      subsets: [
        { addresses: [{ ip: '1.1.1.1' }, { ip: '1.1.1.2' }], ports: [{ port: 80 }, { port: 81 }] },
        { addresses: [{ ip: 'fd00::1' }] },
      ],
    },
    ['x', '1.1.1.1:80,1.1.1.2:80,1.1.1.1:81 + 2 more...', '120m'],
  ],
  [
    'Endpoints of version 6',
    '/endpoints',
    { subsets: [{ addresses: [{ ip: 'fd00::1' }], ports: [{ port: 80 }] }] },
    ['x', '[fd00::1]:80', '120m'],
  ],
  ['Endpoints without any', '/endpoints', {}, ['x', '<none>', '120m']],
  [
    'an EndpointSlice by its ports and addresses',
    'discovery.k8s.io/endpointslices',
    {
      addressType: 'IPv4',
      ports: [{ port: 80 }, { name: 'y' }, {}],
      endpoints: [{ addresses: ['1.1.1.1'] }, { addresses: ['1.1.1.2'] }],
    },
    ['x', 'IPv4', '80,y,*', '1.1.1.1,1.1.1.2', '120m'],
  ],
  [
    'an Ingress by its first three hosts',
    'networking.k8s.io/ingresses',
    {
      spec: { ingressClassName: 'c', tls: [{}], rules: [rule('a.x'), rule('b.x'), rule('c.x'), rule('d.x')] },
      status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }] } },
    },
    ['x', 'c', 'a.x,b.x,c.x + 1 more...', '1.1.1.1', '80, 443', '120m'],
  ],
  [
    'an Ingress with exactly three rules for one host',
    'networking.k8s.io/ingresses',
    { spec: { rules: [rule('a.x'), rule('a.x'), rule('a.x')] } },
    ['x', '<none>', 'a.x,a.x,a.x', '', '80', '120m'],
  ],
  ['an Ingress for all hosts', 'networking.k8s.io/ingresses', {}, ['x', '<none>', '*', '', '80', '120m']],
  [
    'the default IngressClass',
    'networking.k8s.io/ingressclasses',
    {
      ...meta({ annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } }),
      spec: { controller: 'example.com/c', parameters: { apiGroup: 'g.example.com', kind: 'P', name: 'p' } },
    },
    ['x (default)', 'example.com/c', 'P.g.example.com/p', '120m'],
  ],
  [
    'a NetworkPolicy by its pods',
    'networking.k8s.io/networkpolicies',
    { spec: { podSelector: {} } },
    ['x', '<none>', '120m'],
  ],
];

describe('kubectl get shows', () => {
  it.each(cases)('%s', (_, storage, object, cells) => {
    expect(rowOf(storage, object)).toEqual(cells);
  });
});
