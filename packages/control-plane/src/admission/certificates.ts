import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { parseCertificateRequest } from '../authn/pki/certificate-request.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../contracts/admission.ts';
import type { Authorizer } from '../contracts/authorizer.ts';
import { forbidden } from '../errors/api-errors.ts';

const requests = 'certificates.k8s.io/certificatesigningrequests';
const clientSigner = 'kubernetes.io/kube-apiserver-client';

interface Requested extends KubeObject {
  spec?: { signerName?: string; request?: string };
  status?: { certificate?: string; conditions?: unknown };
}

export interface CertificateAdmissionOptions {
  readonly authorizer: Authorizer;
}

/** From PEM in base64. This plugin does not refuse a request that cannot be read: validation does. */
const organizationsOf = async (request: string): Promise<readonly string[] | undefined> => {
  const pem = Buffer.from(request, 'base64').toString('utf8');
  return parseCertificateRequest(pem).then(
    ({ organizations }) => organizations,
    () => undefined,
  );
};

/** Who may approve and who may sign is decided for each signer, not for all requests at once. */
export function certificateAdmission({ authorizer }: CertificateAdmissionOptions): AdmissionPlugin[] {
  /** By the signer's own name, or by its domain for all of its signers: `example.com/*`. */
  const mayOnSigner = ({ user }: AdmissionRequest, verb: string, signer: string): boolean =>
    [signer, `${signer.slice(0, signer.indexOf('/'))}/*`].some(
      (name) =>
        authorizer.authorize(user, {
          kind: 'resource',
          verb,
          group: 'certificates.k8s.io',
          version: '*',
          resource: 'signers',
          name,
        }).allowed,
    );

  const check = (request: AdmissionRequest, verb: 'approve' | 'sign'): void => {
    const old: Requested | undefined = request.oldObject;
    const signer = old?.spec?.signerName ?? '';
    if (mayOnSigner(request, verb, signer)) return;
    throw forbidden(request.info, request.name, `user not permitted to ${verb} requests with signerName "${signer}"`);
  };

  return [
    {
      name: 'CertificateApproval',
      handles: ({ info, subresource }) => info.storage === requests && subresource === 'approval',
      validate: (request) => check(request, 'approve'),
    },
    {
      name: 'CertificateSigning',
      handles: ({ info, subresource }) => info.storage === requests && subresource === 'status',
      validate(request) {
        const next: Requested | undefined = request.object;
        const old: Requested | undefined = request.oldObject;
        const sameCertificate = (next?.status?.certificate ?? '') === (old?.status?.certificate ?? '');
        if (sameCertificate && semanticEqual(next?.status?.conditions, old?.status?.conditions)) return;
        check(request, 'sign');
      },
    },
    {
      name: 'CertificateSubjectRestriction',
      handles: ({ info, operation, subresource }) =>
        info.storage === requests && operation === 'CREATE' && subresource === undefined,
      async validate({ object, info, name }) {
        const asked: Requested | undefined = object;
        if (asked?.spec?.signerName !== clientSigner) return;
        const organizations = await organizationsOf(asked.spec.request ?? '');
        if (!organizations?.includes('system:masters')) return;
        throw forbidden(info, name, `use of ${clientSigner} signer with system:masters group is not allowed`);
      },
    },
  ];
}
