import { decodeCertificateRequest } from '@flotilla/kube/pki';
import type { RequestedSubject } from './approval.policy.ts';
import { keyFingerprint } from './key-fingerprint.ts';

/**
 * One block and nothing around it, as agents write it. In any other text a signer might find another block than we do, and
 * certify what was never checked.
 */
const onlyBlock = /^-----BEGIN CERTIFICATE REQUEST-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END CERTIFICATE REQUEST-----\s*$/;
const subjectTypes = new Set(['CN', 'O', 'OU']);

/** What `spec.request` asks for; undefined if it cannot be read, or is not signed with the key that it asks to certify. */
export async function readRequestedSubject(request: string): Promise<RequestedSubject | undefined> {
  const [, body] = onlyBlock.exec(Buffer.from(request, 'base64').toString('utf8')) ?? [];
  if (body === undefined) return undefined;
  try {
    const decoded = await decodeCertificateRequest(body);
    return {
      commonNames: decoded.subjectName.getField('CN'),
      organizations: decoded.subjectName.getField('O'),
      organizationUnits: decoded.subjectName.getField('OU'),
      // Attributes, because extensions may come in several of them.
      hasAlternativeNames: decoded.attributes.length > 0 || hasOtherParts(decoded.subjectName.toJSON()),
      keyFingerprint: keyFingerprint(new Uint8Array(decoded.publicKey.rawData)),
    };
  } catch {
    return undefined;
  }
}

/** Whether a name has parts that mean something else than user and groups, such as the uid of a user. */
const hasOtherParts = (parts: readonly object[]): boolean =>
  parts.some((part) => Object.keys(part).some((type) => !subjectTypes.has(type)));
