import { composed } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const configMapTable = {
  ClusterInfo: {
    value: 'cluster-info',
    on: ['ConfigMap'],
    meaning: 'Address and CA of the API server, readable without authentication.',
  },
  RootCa: {
    value: 'kube-root-ca.crt',
    on: ['ConfigMap'],
    meaning: 'CA of the API server where cluster-info is missing.',
  },
  CaBundle: { value: 'ca-bundle-configmap', on: ['ConfigMap'], meaning: 'CAs of webhooks and gRPC, newest first.' },
  GrpcServerConfig: { value: 'grpc-server-config', on: ['ConfigMap'], meaning: 'Options of the gRPC server.' },
  TlsProfile: { value: 'ocm-tls-profile', on: ['ConfigMap'], meaning: 'TLS version and ciphers of all components.' },
  ExtensionApiServerAuthentication: {
    value: 'extension-apiserver-authentication',
    on: ['ConfigMap'],
    meaning: 'What a component needs to authenticate callers of its HTTPS port.',
  },
  JoinToken: composed(
    'join-token-{tokenId}',
    ['ConfigMap'],
    'What a join token is for, and how often it was used. Without its secret.',
    { tokenId: '[a-z0-9]{6}' },
  ),
  AddOnProxyCa: composed('{addOn}-proxy-ca', ['ConfigMap'], 'CA of the proxy of a template add-on.'),
} as const satisfies NameTable;

/** Config maps. */
export const ConfigMapName = /* @__PURE__ */ constantsOf(configMapTable);
