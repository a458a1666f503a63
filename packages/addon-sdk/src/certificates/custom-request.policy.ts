import { CertificateName, GroupName } from '@flotilla/api-types';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { loadX509 } from '@flotilla/kube/pki';
import type { CustomSignerRegistration } from '../definition/registration.ts';
import { type AgentScope, defaultSubject, toldSubject } from '../registration/registration.policy.ts';
import { type DecodedRequest, decodeRequest, isFromCluster, type RequestScope } from './agent-request.policy.ts';

const subjectTypes: ReadonlySet<string> = new Set(['CN', 'O', 'OU']);

/**
 * Whether a request to a custom signer is one that the agent was told to make: from its cluster, for the user, groups and units in the
 * status. Whoever trusts the signer takes the names in its certificates for true, so that no cluster may choose them.
 */
export async function isCustomRequest(
  request: CertificateSigningRequest,
  declaration: Pick<CustomSignerRegistration, 'subject'>,
  scope: RequestScope,
): Promise<boolean> {
  if (!isFromCluster(request, scope)) return false;
  const decoded = await decodeRequest(request);
  if (!decoded) return false;
  const { user, groups = [], organizationUnits = [] } = toldSubject(declaration, scope);
  const { subjectName } = decoded;
  const names = subjectName.getField('CN');
  return (
    names.length === 1 &&
    names[0] === (user || defaultSubject(scope, scope.addOn).user) &&
    subjectName.getField('O').every((group) => group === GroupName.Authenticated || groups.includes(group)) &&
    subjectName.getField('OU').every((unit) => organizationUnits.includes(unit)) &&
    subjectName.toJSON().every((part) => Object.keys(part).every((type) => subjectTypes.has(type))) &&
    (await asksForNoOtherName(decoded, scope))
  );
}

/** Whether a request has no extension but the DNS name of the add-on. Extensions may come in several attributes; agents send one. */
async function asksForNoOtherName(decoded: DecodedRequest, { addOn }: AgentScope): Promise<boolean> {
  const own = CertificateName.AddOnDns.of({ addOn });
  const names = await alternativeNamesOf(decoded);
  return (
    decoded.attributes.length <= 1 &&
    decoded.extensions.length <= 1 &&
    (names.length > 0 || decoded.extensions.length === 0) &&
    names.every(({ type, value }) => type === 'dns' && value === own)
  );
}

/** The alternative names that a request asks for. */
export async function alternativeNamesOf(decoded: DecodedRequest): Promise<{ type: string; value: string }[]> {
  const { SubjectAlternativeNameExtension } = await loadX509();
  return decoded.extensions
    .filter((extension) => extension instanceof SubjectAlternativeNameExtension)
    .flatMap(({ names }) => names.toJSON());
}
