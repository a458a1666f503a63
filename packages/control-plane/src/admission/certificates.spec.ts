import { KubeError } from '@flotilla/kube';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import { createAuthority } from '@flotilla/kube/pki';
import { describe, expect, it } from 'vitest';
import { makeCertificateRequest } from '../../fixtures/certificate-request.ts';
import { startTestPlane } from '../../fixtures/test-plane.ts';
import type { Attributes } from '../contracts/authorizer.ts';

const signerName = 'kubernetes.io/kube-apiserver-client';
const requestFor = async (subject: string) => ({
  metadata: { name: 'a' },
  spec: {
    signerName,
    request: Buffer.from(await makeCertificateRequest(subject)).toString('base64'),
    usages: ['client auth'],
  },
});

/** All users may do all but use signers: only `ann` may approve for them. */
const authorize = (user: { name: string }, attributes: Attributes) => ({
  allowed:
    attributes.kind === 'path' ||
    attributes.resource !== 'signers' ||
    (user.name === 'ann' && attributes.verb === 'approve' && attributes.name === 'kubernetes.io/*'),
  reason: '',
});

const approved = { type: 'Approved', status: 'True', reason: 'Because', message: 'fine' };

describe('certificate signing requests', () => {
  it('are approved only by those who may approve for the signer', async () => {
    const plane = await startTestPlane({ authorizer: { authorize } });
    const created = await plane.client.resource(certificateSigningRequests).create(await requestFor('CN=robot'));
    const body = { ...created, status: { conditions: [approved] } };
    const approve = (name: string) =>
      plane
        .as({ name, groups: [] })
        .resource(certificateSigningRequests)
        .subresource<typeof created>('approval')
        .replace(body);
    await expect(approve('bob')).rejects.toThrow(
      `is forbidden: user not permitted to approve requests with signerName "${signerName}"`,
    );
    expect((await approve('ann')).status?.conditions?.[0]).toMatchObject({
      ...approved,
      lastUpdateTime: expect.any(String),
    });
  });

  it('are signed only by those who may sign for the signer', async () => {
    const plane = await startTestPlane({ authorizer: { authorize } });
    const created = await plane.client.resource(certificateSigningRequests).create(await requestFor('CN=robot'));
    const { certificate: pem } = await createAuthority('anybody', plane.clock);
    const certificate = Buffer.from(pem).toString('base64');
    const signed = plane
      .as({ name: 'ann', groups: [] })
      .resource(certificateSigningRequests)
      .status.replace({
        ...created,
        status: { certificate },
      });
    await expect(signed).rejects.toThrow('user not permitted to sign requests');
  });

  it('may not ask the client signer to become a member of system:masters', async () => {
    const plane = await startTestPlane();
    const refused = await plane.client
      .resource(certificateSigningRequests)
      .create(await requestFor('CN=robot,O=system:masters'))
      .catch((error) => KubeError.from(error));
    expect(refused).toMatchObject({
      code: 'Forbidden',
      apiStatus: {
        message: `certificatesigningrequests.certificates.k8s.io "a" is forbidden: use of ${signerName} signer with system:masters group is not allowed`,
      },
    });
  });
});
