import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { isToSign } from './signing.policy.ts';

const condition = (type: string) => ({ type, status: 'True' as const });
const request = (
  types: readonly string[],
  { signerName = 'open-cluster-management.io/grpc', certificate }: { signerName?: string; certificate?: string } = {},
): CertificateSigningRequest => ({
  spec: { request: '', signerName, usages: [] },
  status: { conditions: types.map(condition), ...(certificate !== undefined && { certificate }) },
});

it.each<[string, CertificateSigningRequest, boolean]>([
  ['an approved one', request(['Approved']), true],
  ['not one that is not approved', request([]), false],
  ['not one that has its certificate', request(['Approved'], { certificate: 'YQ==' }), false],
  ['not one of another signer', request(['Approved'], { signerName: 'kubernetes.io/kube-apiserver-client' }), false],
  ['not one that was denied', request(['Approved', 'Denied']), false],
  ['not one that failed', request(['Approved', 'Failed']), false],
])('signs %s [registration-hub 53]', (_, given, expected) => {
  expect(isToSign(given)).toBe(expected);
});
