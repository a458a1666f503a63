import { loadX509 } from '@flotilla/kube/pki';
import type { RequestedSubject } from './approval.policy.ts';

const firstBlock = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/;

/** What `spec.request` asks for; undefined if it cannot be read, or is not signed with the key that it asks to certify. */
export async function readRequestedSubject(request: string): Promise<RequestedSubject | undefined> {
  const [, type, body] = firstBlock.exec(Buffer.from(request, 'base64').toString('utf8')) ?? [];
  if (type !== 'CERTIFICATE REQUEST' || body === undefined) return undefined;
  const x509 = await loadX509();
  try {
    const decoded = new x509.Pkcs10CertificateRequest(Buffer.from(body, 'base64'));
    if (!(await decoded.verify())) return undefined;
    return {
      commonNames: decoded.subjectName.getField('CN'),
      organizations: decoded.subjectName.getField('O'),
      organizationUnits: decoded.subjectName.getField('OU'),
      hasAlternativeNames: decoded.extensions.length > 0,
    };
  } catch {
    return undefined;
  }
}
