import { DataKey } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import type { StoredCredentials } from '../contract/index.ts';

/** The client certificate in stored credentials, as a connection shows it; empty if there is none. */
export function storedCertificate(stored: StoredCredentials): Pick<ClusterAccess, 'clientCertificate'> {
  const certificate = stored[DataKey.TlsCertificate];
  const key = stored[DataKey.TlsKey];
  return certificate && key ? { clientCertificate: { certificate, key } } : {};
}
