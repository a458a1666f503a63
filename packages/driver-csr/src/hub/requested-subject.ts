import { loadX509 } from '@flotilla/kube/pki';
import type { RequestedSubject } from './approval.policy.ts';

/**
 * One block and nothing around it, as agents write it. In any other text a signer might find another block than we do, and
 * certify what nobody has looked at.
 */
const onlyBlock = /^-----BEGIN CERTIFICATE REQUEST-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END CERTIFICATE REQUEST-----\s*$/;
const subjectTypes = new Set(['CN', 'O', 'OU']);

/** What `spec.request` asks for; undefined if it cannot be read, or is not signed with the key that it asks to certify. */
export async function readRequestedSubject(request: string): Promise<RequestedSubject | undefined> {
  const [, body] = onlyBlock.exec(Buffer.from(request, 'base64').toString('utf8')) ?? [];
  if (body === undefined) return undefined;
  const x509 = await loadX509();
  try {
    const decoded = new x509.Pkcs10CertificateRequest(Buffer.from(body, 'base64'));
    if (!(await decoded.verify())) return undefined;
    return {
      commonNames: decoded.subjectName.getField('CN'),
      organizations: decoded.subjectName.getField('O'),
      organizationUnits: decoded.subjectName.getField('OU'),
      // Attributes, because extensions may come in several of them.
      hasAlternativeNames: decoded.attributes.length > 0 || hasOtherParts(decoded.subjectName.toJSON()),
    };
  } catch {
    return undefined;
  }
}

/** Whether a name has parts that mean something else than user and groups, such as the uid of a user. */
const hasOtherParts = (parts: readonly object[]): boolean =>
  parts.some((part) => Object.keys(part).some((type) => !subjectTypes.has(type)));
