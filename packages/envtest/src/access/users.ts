import type { ClusterPki } from '../pki/cluster-pki.ts';
import { createIdentity, type Identity } from './identity.ts';

/** Who the certificate says the bearer is. */
export interface UserOptions {
  name: string;
  /** For example `system:masters`, who may do everything. Default none: then RBAC has to grant each thing. */
  groups?: readonly string[];
  /** How long the certificate is valid. Default a year. */
  ttlMs?: number;
}

/** Mints a client certificate, signed by the CA that the API server knows clients by. */
export async function createUser(
  cluster: { directory: string; server: string; pki: ClusterPki },
  { name, groups = [], ttlMs }: UserOptions,
): Promise<Identity> {
  const clientCertificate = await cluster.pki.issue({
    usage: 'client',
    name,
    groups,
    ...(ttlMs !== undefined && { ttlMs }),
  });
  return createIdentity(cluster.directory, name, {
    server: cluster.server,
    ca: cluster.pki.trustBundle,
    clientCertificate,
    origin: `envtest user ${name}`,
  });
}
