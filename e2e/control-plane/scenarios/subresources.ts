import { del, get, patch, post, put, type Scenario } from '../scenario.ts';
import { certificateRequest } from './certificate-request.ts';

const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const pods = '/api/v1/namespaces/{ns}/pods';

/** Another user, so that the name is the same on both servers. */
const requester = { as: 'requester', headers: { 'impersonate-group': 'system:masters' } };

const pod = (name: string) => ({
  metadata: { name, labels: { app: 'x' } },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
});

export const subresources: readonly Scenario[] = [
  {
    name: 'subresources: approval and status of certificate signing requests',
    steps: [
      post(
        csrs,
        {
          metadata: { name: 'csr-{id}' },
          spec: {
            request: certificateRequest,
            signerName: 'example.com/manual',
            usages: ['client auth'],
            username: 'liar',
          },
        },
        requester,
      ),
      get(`${csrs}/csr-{id}/approval`),
      patch('merge', `${csrs}/csr-{id}`, { status: { conditions: [{ type: 'Approved', status: 'True' }] } }),
      patch('merge', `${csrs}/csr-{id}/approval`, {
        status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'ok' }] },
      }),
      patch('merge', `${csrs}/csr-{id}/approval`, { status: { conditions: [{ type: 'Denied', status: 'True' }] } }),
      patch('merge', `${csrs}/csr-{id}/approval`, { status: { conditions: [] } }),
      patch('merge', `${csrs}/csr-{id}/approval`, { status: { certificate: 'eA==' } }),
      patch('merge', `${csrs}/csr-{id}/status`, { status: { certificate: 'bm9uc2Vuc2U=' } }),
      patch('merge', `${csrs}/csr-{id}`, { spec: { signerName: 'other.example/x' } }),
      post(csrs, { metadata: { name: 'bad-{id}' }, spec: { request: 'bm9uc2Vuc2U=', signerName: 'x', usages: [] } }),
      post(csrs, {
        metadata: { name: 'usage-{id}' },
        spec: { request: certificateRequest, signerName: 'example.com/a', usages: ['no such'] },
      }),
      put(`${csrs}/none/approval`, { metadata: { name: 'none' } }),
      del(`${csrs}/csr-{id}`),
    ],
  },
  {
    name: 'subresources: eviction, binding and status of pods',
    steps: [
      post(pods, pod('p')),
      patch('merge', `${pods}/p/status`, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      }),
      post('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', {
        metadata: { name: 'b' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      }),
      post(`${pods}/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }),
      post(`${pods}/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' } }),
      post(`${pods}/none/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } }),
      del('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/b'),
      post(`${pods}/p/eviction?dryRun=All`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }),
      post(`${pods}/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }),
      get(`${pods}/p`),
      post(pods, pod('q')),
      post(`${pods}/q/binding`, { metadata: { name: 'q' }, target: { kind: 'Node', name: 'n' } }),
      post(`${pods}/q/binding`, { metadata: { name: 'q' }, target: { kind: 'Node', name: 'm' } }),
      get(`${pods}/q`),
      del(`${pods}/q`),
      get(`${pods}/q`),
      del(`${pods}/q`, { gracePeriodSeconds: 0 }),
      post(pods, {
        metadata: { name: 'r' },
        spec: { serviceAccountName: 'none', containers: [{ name: 'c', image: 'i' }] },
      }),
      get(`${pods}/p/nothing`),
      put(`${pods}/none/status`, { metadata: { name: 'none' } }),
    ],
  },
];
