import { Label } from '@flotilla/api-types';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { type AddonRegistration, type AgentIdentity, clusterIdentityAnnotation } from '../contract/index.ts';
import { nameSuffix } from './certificate-request.ts';
import { addonSubject, type CertificateSubject, clusterSubject } from './subject.ts';

/** All that distinguishes the requests of a cluster from those of its add-ons. */
export interface RequestTemplate {
  readonly generateName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly signerName: string;
  readonly subject: CertificateSubject;
  /** Whether a request on the hub is one of this template. */
  owns(request: CertificateSigningRequest): boolean;
}

/** Requests for the cluster's own agent. */
export const clusterTemplate = (identity: AgentIdentity, signerName: string): RequestTemplate => ({
  generateName: `${identity.clusterName}-`,
  labels: { [Label.ClusterName]: identity.clusterName },
  // Lets the hub see which of two clusters of one name asks.
  annotations: identity.clusterUid === undefined ? {} : { [clusterIdentityAnnotation]: identity.clusterUid },
  signerName,
  subject: clusterSubject(identity),
  owns: ({ metadata, spec }) =>
    metadata?.labels?.[Label.ClusterName] === identity.clusterName &&
    metadata.labels[Label.AddOnName] === undefined &&
    metadata.name?.startsWith(`${identity.clusterName}-`) === true &&
    spec.signerName === signerName,
});

/** Requests for one registration of an add-on; `kubeSigner` signs those for the hub's API. */
export function addonTemplate(
  { clusterName }: AgentIdentity,
  registration: AddonRegistration,
  kubeSigner: string,
): RequestTemplate {
  const { addonName } = registration;
  const signerName = registration.type === 'customSigner' ? registration.signerName : kubeSigner;
  return {
    generateName: `addon-${clusterName}-${addonName}-`,
    labels: { [Label.ClusterName]: clusterName, [Label.AddOnName]: addonName },
    annotations: {},
    signerName,
    subject: addonSubject(clusterName, registration),
    owns: ({ metadata, spec }) =>
      metadata?.labels?.[Label.ClusterName] === clusterName &&
      metadata.labels[Label.AddOnName] === addonName &&
      spec.signerName === signerName,
  };
}

const usages = ['digital signature', 'key encipherment', 'client auth'];

/** The name of the request for a key. OCM lets the API server generate the end of it; here it follows from the key. */
export const requestName = ({ generateName }: RequestTemplate, key: string): string =>
  `${generateName}${nameSuffix(key)}`;

/** The object to create on the hub. */
export const signingRequest = (
  { generateName, labels, annotations, signerName }: RequestTemplate,
  { name, pem, expirationSeconds }: { readonly name: string; readonly pem: string; readonly expirationSeconds: number },
): CertificateSigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: {
    name,
    generateName,
    labels: { ...labels },
    ...(Object.keys(annotations).length > 0 && { annotations: { ...annotations } }),
  },
  spec: {
    request: Buffer.from(pem).toString('base64'),
    signerName,
    usages: [...usages],
    ...(expirationSeconds > 0 && { expirationSeconds }),
  },
});

/** What the hub has decided about a request. */
export type Decision =
  | { readonly kind: 'undecided' }
  | { readonly kind: 'approved' }
  | { readonly kind: 'issued'; readonly certificate: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Reads the decision; a denial anywhere outweighs an approval. */
export function decisionOn({ status }: CertificateSigningRequest): Decision {
  const conditions = status?.conditions ?? [];
  const refusal = conditions.find(({ type }) => type === 'Denied' || type === 'Failed');
  if (refusal) {
    const { type, reason = 'without a reason', message = '' } = refusal;
    return { kind: 'refused', message: `${type}, ${reason}${message && `: ${message}`}` };
  }
  if (!conditions.some(({ type }) => type === 'Approved')) return { kind: 'undecided' };
  if (!status?.certificate) return { kind: 'approved' };
  return { kind: 'issued', certificate: Buffer.from(status.certificate, 'base64').toString('utf8') };
}
