import { X509Certificate } from 'node:crypto';
import type { KubeClient } from '@flotilla/kube';
import { certificateSigningRequests, setApproval } from '@flotilla/kube/kinds';
import { createAuthority } from '@flotilla/kube/pki';
import { describe, expect, it } from 'vitest';
import { makeCertificateRequest } from '../../../fixtures/certificate-request.ts';
import { startTestPlane, type TestPlane } from '../../../fixtures/test-plane.ts';
import { signCertificateRequest } from '../../authn/index.ts';
import type { CertificateSigner } from './signing.controller.ts';

const signerName = 'kubernetes.io/kube-apiserver-client';
const hourMs = 3_600_000;

const ask = async (client: KubeClient, fields: object = {}) => {
  const request = Buffer.from(await makeCertificateRequest('CN=robot,O=bots')).toString('base64');
  const spec = { signerName, request, usages: ['client auth'], ...fields };
  return client.resource(certificateSigningRequests).create({ metadata: { name: 'a' }, spec });
};

const approve = async (plane: TestPlane) => {
  const request = await plane.client.resource(certificateSigningRequests).get('a');
  const input = { type: 'Approved' as const, reason: 'Test', message: 'fine' };
  await setApproval(plane.client, request, input, { now: plane.clock.now() });
  await plane.quiet();
  return plane.client.resource(certificateSigningRequests).get('a');
};

/** Signatures are made by threads of the runtime, so that a fake clock does not know when they are ready. */
const approveAndWait = async (plane: TestPlane) => {
  await approve(plane);
  const read = () => plane.client.resource(certificateSigningRequests).get('a');
  await expect
    .poll(async () => {
      const { status } = await read();
      return status?.certificate !== undefined || status?.conditions?.length === 2;
    })
    .toBe(true);
  await plane.quiet();
  return read();
};

const signerOf = async (plane: TestPlane): Promise<CertificateSigner> => {
  const authority = await createAuthority('ca', plane.clock);
  return (request) => signCertificateRequest({ ...request, authority, clock: plane.clock });
};

describe('certificate signing requests', () => {
  it('are signed when they are approved, for as long as was asked', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers(await signerOf(plane));
    await ask(plane.client, { expirationSeconds: 3600 });
    await plane.quiet();
    expect((await plane.client.resource(certificateSigningRequests).get('a')).status?.certificate).toBeUndefined();
    const { status, spec } = await approveAndWait(plane);
    const certificate = new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64'));
    expect(certificate.subject).toContain('CN=robot');
    expect(certificate.validToDate.getTime()).toBe(plane.clock.now() + hourMs);
    expect(spec).toMatchObject({ username: 'admin', groups: ['system:masters', 'system:authenticated'] });
  });

  it('fail when the signer refuses what they want', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers(await signerOf(plane));
    await ask(plane.client, { usages: ['server auth'] });
    const { status } = await approveAndWait(plane);
    expect(status?.certificate).toBeUndefined();
    expect(status?.conditions?.map(({ type, reason, message }) => [type, reason, message])).toEqual([
      ['Approved', 'Test', 'fine'],
      ['Failed', 'SignerValidationFailure', 'invalid usage for client certificate: server auth'],
    ]);
  });

  it('are left to others when the signer is not ours', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers(await signerOf(plane));
    await ask(plane.client, { signerName: 'example.com/signer' });
    expect((await approve(plane)).status).toEqual({ conditions: [expect.objectContaining({ type: 'Approved' })] });
  });

  it('are deleted an hour after they were issued, and a day after they were created without a decision', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers(await signerOf(plane));
    const requests = plane.client.resource(certificateSigningRequests);
    await ask(plane.client);
    await plane.quiet();
    await plane.clock.advance(23 * hourMs);
    await approveAndWait(plane);
    await plane.clock.advance(hourMs - 1000);
    expect(await requests.find('a')).toBeDefined();
    await plane.clock.advance(1000);
    await plane.quiet();
    expect(await requests.find('a')).toBeUndefined();
  });

  it('keep their decision, their spec and their certificate', async () => {
    const plane = await startTestPlane();
    await using _ = plane.runControllers(await signerOf(plane));
    const requests = plane.client.resource(certificateSigningRequests);
    await ask(plane.client);
    const issued = await approveAndWait(plane);
    const denied = { type: 'Denied' as const, reason: 'No', message: '' };
    await expect(setApproval(plane.client, issued, denied, { now: 0 })).rejects.toThrow('mutually exclusive');
    await expect(
      requests.subresource<typeof issued>('approval').replace({ ...issued, status: { conditions: [] } }),
    ).rejects.toThrow('updates may not remove a condition of type "Approved"');
    await expect(
      requests.status.replace({ ...issued, status: { ...issued.status, certificate: 'b3RoZXI=' } }),
    ).rejects.toThrow('updates may not modify existing certificate content');
    const same = await requests.replace({ ...issued, spec: { ...issued.spec, signerName: 'example.com/x' } });
    expect(same.spec.signerName).toBe(signerName);
  });
});
