import type { KeyPair } from '@flotilla/kube/pki';
import type { KubeObject } from '@flotilla/schema';
import type { SystemObject } from './system-objects.ts';

/** The authorities of clients and of the front proxy. */
export interface FrontProxyAuthorities {
  readonly authority: KeyPair;
  readonly frontProxyAuthority: KeyPair;
}

const namespace = 'kube-system';
const name = 'extension-apiserver-authentication';

/** Where aggregated API servers read whom to believe about users. */
export function frontProxyConfig({ authority, frontProxyAuthority }: FrontProxyAuthorities): SystemObject {
  const object: KubeObject & { data: Record<string, string> } = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: {
      'client-ca-file': authority.certificate,
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-client-ca-file': frontProxyAuthority.certificate,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    },
  };
  return { storage: '/configmaps', key: `${namespace}/${name}`, object };
}
