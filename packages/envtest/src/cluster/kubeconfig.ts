import type { ClusterAccess } from '@flotilla/kube';
import { stringify } from 'yaml';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A kubeconfig of one context that carries all it needs, with no reference to other files. */
export function buildKubeconfig(access: ClusterAccess, user: string): string {
  const bearer = access.authorization?.replace(/^Bearer /, '');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'envtest',
    clusters: [
      {
        name: 'envtest',
        cluster: {
          server: access.server,
          ...(access.ca !== undefined && { 'certificate-authority-data': base64(access.ca) }),
        },
      },
    ],
    users: [
      {
        name: user,
        user: {
          ...(access.clientCertificate && {
            'client-certificate-data': base64(access.clientCertificate.certificate),
            'client-key-data': base64(access.clientCertificate.key),
          }),
          ...(bearer !== undefined && { token: bearer }),
        },
      },
    ],
    contexts: [{ name: 'envtest', context: { cluster: 'envtest', user } }],
  });
}
