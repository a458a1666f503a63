import { type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { type ClusterAccess, KubeError, type ObjectKey, ownerReferenceTo } from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';

/** The Secret with the access to a pushed cluster, in its namespace on the hub. One name, so that rights can be limited to it. */
export const memberSecretName = 'member-access';

/** The key of the Secret of a cluster. */
export const memberSecretKey = (clusterName: string): ObjectKey => `${clusterName}/${memberSecretName}`;

/** Entries of the Secret. The kubeconfig names `ca.crt` and `token`, so that either can be replaced alone. */
export const MemberSecretEntry = {
  Kubeconfig: 'kubeconfig',
  Ca: 'ca.crt',
  Token: 'token',
  ProxyCa: 'proxy-ca.crt',
  /** JSON object: headers for the proxy. */
  ProxyHeaders: 'proxy-headers',
  /** `namespace/name` of the service account on the member whose token this is. Absent: the token is not renewed. */
  ServiceAccount: 'service-account',
  /** The address of the hub by whose hash works are recorded on the member. */
  HubServer: 'hub-server',
  /** PEM of the CA of the hub, for add-ons on the member. */
  HubCa: 'hub-ca.crt',
  /** JSON array: other addresses of the hub under which works were recorded before. */
  FormerHubServers: 'former-hub-servers',
} as const;

/** How the hub reaches a member, beside its address and CA. */
export interface MemberCredential {
  /** Address, CA, proxy and TLS server name. Its own identity is not stored. */
  readonly access: Pick<
    ClusterAccess,
    'server' | 'ca' | 'tlsServerName' | 'insecureSkipTlsVerify' | 'proxyUrl' | 'proxyCa' | 'proxyHeaders'
  >;
  readonly token: string;
  readonly serviceAccount: ObjectKey;
  readonly hubServer: string;
  /** PEM. */
  readonly hubCa?: string;
  readonly formerHubServers?: readonly string[];
}

/** The Secret of a pushed cluster, owned by its ManagedCluster, so that it goes with it. */
export function memberSecret(cluster: ManagedCluster, credential: MemberCredential): Secret {
  const { access, token, serviceAccount, hubServer, hubCa, formerHubServers = [] } = credential;
  if (access.insecureSkipTlsVerify) {
    throw new KubeError('Config', `the access to ${access.server} does not verify its certificate`, {
      hint: 'Give a kubeconfig with certificate-authority instead of insecure-skip-tls-verify.',
    });
  }
  if (!access.server.startsWith('https://')) {
    throw new KubeError('Config', `the address ${access.server} of the member is not one of https`, {
      hint: 'Give a kubeconfig with an address of https: the token of the hub is sent there.',
    });
  }
  const { ca, proxyCa, proxyHeaders = {} } = access;
  const hasHeaders = Object.keys(proxyHeaders).length > 0;
  const name = cluster.metadata?.name ?? '';
  const entries: Readonly<Record<string, string | undefined>> = {
    [MemberSecretEntry.Kubeconfig]: kubeconfigOf(name, credential),
    [MemberSecretEntry.Ca]: ca,
    [MemberSecretEntry.Token]: token,
    [MemberSecretEntry.ProxyCa]: proxyCa,
    [MemberSecretEntry.ProxyHeaders]: hasHeaders ? JSON.stringify(proxyHeaders) : undefined,
    [MemberSecretEntry.ServiceAccount]: serviceAccount,
    [MemberSecretEntry.HubServer]: hubServer,
    [MemberSecretEntry.HubCa]: hubCa,
    [MemberSecretEntry.FormerHubServers]: formerHubServers.length > 0 ? JSON.stringify(formerHubServers) : undefined,
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: memberSecretName,
      namespace: name,
      ownerReferences: [ownerReferenceTo(managedClusters, cluster)],
    },
    type: 'Opaque',
    data: encoded(entries),
  };
}

function kubeconfigOf(name: string, { access: { ca, ...access } }: MemberCredential): string {
  const { clusters, users, ...document } = kubeconfigFor(
    { ...access, origin: '' },
    { cluster: name, user: name, context: name },
  );
  return formatKubeconfig({
    ...document,
    clusters: clusters.map(({ cluster, ...entry }) => ({
      ...entry,
      cluster: { ...cluster, ...(ca !== undefined && { 'certificate-authority': MemberSecretEntry.Ca }) },
    })),
    users: users.map((entry) => ({ ...entry, user: { tokenFile: MemberSecretEntry.Token } })),
  });
}

const encoded = (entries: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entries).flatMap(([key, text]) =>
      text === undefined ? [] : [[key, Buffer.from(text).toString('base64')] as const],
    ),
  );
