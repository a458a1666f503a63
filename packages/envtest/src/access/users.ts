import type { ClusterPki } from '../pki/cluster-pki.ts';
import { createIdentity, type Identity } from './identity.ts';

/** Who the certificate says the bearer is. */
export interface UserOptions {
  name: string;
  /** For example `system:masters`, which may do all. Default none: then RBAC has to grant each permission. */
  groups?: readonly string[];
  /** How long the certificate is valid. Default a year. */
  ttlMs?: number;
}

/** Mints a client certificate, signed by the API server's CA for clients. */
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
