import { Annotation } from '@flotilla/api-types';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import type { RequestedSubject } from '@flotilla/registration-core/certificates';

/**
 * The request as its agent sent it. A gRPC server creates requests as itself, and names the user who asks in an annotation; any user
 * else could write that annotation, too, and stays who they are. Of groups the server names those of bootstrap tokens only: for a renewal,
 * which is by the very user that the request names, these are the groups that it names.
 */
export function asSent(
  request: CertificateSigningRequest,
  { organizations }: Pick<RequestedSubject, 'organizations'>,
  serverUsers: ReadonlySet<string>,
): CertificateSigningRequest {
  const { username, uid: _uid, extra: _extra, groups: _groups, ...spec } = request.spec;
  if (username === undefined || !serverUsers.has(username)) return request;
  const { [Annotation.CsrUser]: user, [Annotation.CsrGroups]: bootstrapGroups } = request.metadata?.annotations ?? {};
  const groups = bootstrapGroups === undefined ? [...organizations] : bootstrapGroups.split(',');
  return { ...request, spec: { ...spec, ...(user && { username: user, groups }) } };
}
