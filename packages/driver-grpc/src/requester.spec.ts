import { Annotation } from '@flotilla/api-types';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { asSent } from './requester.ts';

const server = 'system:serviceaccount:hub:grpc-server-sa';
const request: CertificateSigningRequest = {
  metadata: { name: 'c1-x', annotations: { [Annotation.CsrUser]: 'agent' } },
  spec: { request: '', signerName: 's', usages: [], username: server, uid: 'u', groups: ['system:masters'] },
};
const senderOf = (sent: CertificateSigningRequest) => {
  const { username, uid, groups } = sent.spec;
  return { username, uid, groups };
};

it('is the user of the annotation, without a uid, in the groups that the request names [registration-hub 56]', () => {
  const sent = asSent(request, { organizations: ['agents'] }, new Set([server]));
  expect(senderOf(sent)).toEqual({ username: 'agent', uid: undefined, groups: ['agents'] });
});

it('has no groups of the spec, where the request names none [registration-hub 56]', () => {
  expect(senderOf(asSent(request, { organizations: [] }, new Set([server]))).groups).toEqual([]);
});

it('is the creator of the request, if that is not a gRPC server [registration-hub 61]', () => {
  expect(asSent(request, { organizations: ['agents'] }, new Set(['another']))).toBe(request);
});
