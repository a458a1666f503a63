import { expect, it } from 'vitest';
import { formatPath } from './field-path.ts';
import { type Endpoint, resetFieldsOf } from './reset-fields.ts';

const custom: Endpoint = { group: 'test.example.com', plural: 'widgets', source: 'custom', status: true };
const services: Endpoint = { group: '', plural: 'services', source: 'built-in', status: true };
const csrs: Endpoint = {
  group: 'certificates.k8s.io',
  plural: 'certificatesigningrequests',
  source: 'built-in',
  status: true,
};

it.each<[string, Endpoint, string[] | undefined]>([
  ['the status of a custom resource', custom, ['.status']],
  [
    'all but the status of a custom resource at its status',
    { ...custom, subresource: 'status' },
    ['.metadata', '.spec'],
  ],
  ['nothing of a custom resource without a status', { ...custom, status: false }, undefined],
  ['the spec of a built-in kind at its status', { ...services, subresource: 'status' }, ['.spec']],
  ['nothing at other subresources', { ...services, subresource: 'proxy' }, undefined],
  [
    'labels of a Deployment at its status',
    { ...services, group: 'apps', plural: 'deployments', subresource: 'status' },
    ['.spec', '.metadata.labels'],
  ],
  ['the certificate at the approval of a CSR', { ...csrs, subresource: 'approval' }, ['.spec', '.status.certificate']],
  ['spec and status of a CSR', csrs, ['.spec', '.status']],
  [
    'by kind, not by name: a custom kind called pods',
    { ...custom, group: '', plural: 'pods', subresource: 'status' },
    ['.metadata', '.spec'],
  ],
])('resets %s', (_, endpoint, expected) => {
  const fields = resetFieldsOf(endpoint);
  expect(fields && [...fields.paths()].map(formatPath)).toEqual(expected);
});
