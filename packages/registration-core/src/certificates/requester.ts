import { Annotation, NamespaceName, ServiceAccountName, UserName } from '@flotilla/api-types';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';

/** As whom the gRPC server of a hub creates requests of others. */
export const grpcServerUser = UserName.ServiceAccount.of({
  namespace: NamespaceName.Hub,
  name: ServiceAccountName.GrpcServer,
});

/** The request as its sender made it, who may be behind the gRPC server. Anyone else could write these annotations, too. */
export function asRequested(request: CertificateSigningRequest): CertificateSigningRequest {
  const { metadata, spec } = request;
  const { [Annotation.CsrUser]: user, [Annotation.CsrGroups]: groups = '' } = metadata?.annotations ?? {};
  if (spec.username !== grpcServerUser || user === undefined) return request;
  return { ...request, spec: { ...spec, username: user, groups: groups.split(',').filter(Boolean) } };
}

/** Who asks. */
export const requesterOf = (request: CertificateSigningRequest): string | undefined =>
  asRequested(request).spec.username;
