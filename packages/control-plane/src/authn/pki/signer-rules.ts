import type { CertificateRequest } from './certificate-request.ts';

/** The signers a Kubernetes control plane has. */
export const clientSigner = 'kubernetes.io/kube-apiserver-client';
export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
export const kubeletServingSigner = 'kubernetes.io/kubelet-serving';
export const legacySigner = 'kubernetes.io/legacy-unknown';

type Rule = (request: CertificateRequest, usages: readonly string[]) => string | undefined;

/** What each signer demands; a rule answers why it refuses, or nothing. */
const rules: Readonly<Record<string, Rule>> = {
  [clientSigner]: (_, usages) => clientUsageError(usages),
  [kubeletClientSigner]: (request, usages) =>
    nodeOrganizationError(request) ??
    (request.dnsNames.length > 0 ? notAllowed('DNS') : undefined) ??
    (request.emailAddresses.length > 0 ? notAllowed('Email') : undefined) ??
    (request.ipAddresses.length > 0 ? notAllowed('IP') : undefined) ??
    (request.uris.length > 0 ? notAllowed('URI') : undefined) ??
    nodeNameError(request) ??
    exactUsageError(usages, 'client auth'),
  [kubeletServingSigner]: (request, usages) =>
    nodeOrganizationError(request) ??
    (request.dnsNames.length + request.ipAddresses.length === 0 ? 'DNS or IP subjectAltName is required' : undefined) ??
    (request.emailAddresses.length > 0 ? notAllowed('Email') : undefined) ??
    (request.uris.length > 0 ? notAllowed('URI') : undefined) ??
    exactUsageError(usages, 'server auth') ??
    nodeNameError(request),
  [legacySigner]: () => undefined,
};

/** Whether a signer is one of the control plane's. */
export const isKnownSigner = (signerName: string): boolean => Object.hasOwn(rules, signerName);

/** Why a signer refuses a request; undefined if it does not. */
export const signerError = (
  signerName: string,
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined => rules[signerName]?.(request, usages);

const notAllowed = (kind: string): string => `${kind} subjectAltNames are not allowed`;

function clientUsageError(usages: readonly string[]): string | undefined {
  const allowed = ['digital signature', 'key encipherment', 'client auth'];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

const nodeOrganizationError = ({ organizations }: CertificateRequest): string | undefined =>
  organizations.length === 1 && organizations[0] === 'system:nodes'
    ? undefined
    : 'subject organization is not system:nodes';

const nodeNameError = ({ commonName }: CertificateRequest): string | undefined =>
  commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';

/** Key encipherment is for RSA keys and may be left out. */
function exactUsageError(usages: readonly string[], auth: 'client auth' | 'server auth'): string | undefined {
  const wanted = [auth, 'digital signature', 'key encipherment'];
  const given = new Set(usages);
  const fits = given.has(auth) && given.has('digital signature') && [...given].every((usage) => wanted.includes(usage));
  return fits ? undefined : `usages did not match [${wanted.sort().join(' ')}]`;
}
