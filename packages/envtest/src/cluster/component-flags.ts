import { join } from 'node:path';
import { frontProxyUser, type PkiFiles } from '../pki/cluster-pki.ts';
import { etcdPeerSocket, etcdSocket } from '../processes/etcd-socket.ts';
import type { Flags } from './flags.ts';

/** Tuned for temporary data: nothing is synced to disk. */
export const etcdFlags = (directory: string): Flags => ({
  name: 'envtest',
  // Absolute, so that the command line shows to which cluster an orphaned process belongs.
  'data-dir': join(directory, 'etcd'),
  'listen-client-urls': `unix://${etcdSocket}`,
  'advertise-client-urls': `unix://${etcdSocket}`,
  'listen-peer-urls': `unix://${etcdPeerSocket}`,
  'initial-advertise-peer-urls': `unix://${etcdPeerSocket}`,
  'initial-cluster': `envtest=unix://${etcdPeerSocket}`,
  'unsafe-no-fsync': 'true',
  'log-level': 'warn',
});

/** RBAC and node authorization, anonymous requests as by default, bootstrap tokens, bound service-account tokens. */
export const apiServerFlags = (options: { port: number; pki: PkiFiles }): Flags => ({
  'etcd-servers': `unix://${etcdSocket}`,
  'bind-address': '127.0.0.1',
  'advertise-address': '127.0.0.1',
  'secure-port': String(options.port),
  // The endpoints of the `kubernetes` Service cannot be loopback addresses, and are not used here.
  'endpoint-reconciler-type': 'none',
  'service-cluster-ip-range': '10.0.0.0/24',
  'tls-cert-file': options.pki.serving.certificate,
  'tls-private-key-file': options.pki.serving.key,
  'client-ca-file': options.pki.clientCa,
  'authorization-mode': 'Node,RBAC',
  'enable-admission-plugins': 'NodeRestriction',
  'enable-bootstrap-token-auth': 'true',
  'service-account-issuer': 'https://kubernetes.default.svc',
  'service-account-key-file': options.pki.serviceAccountPublicKey,
  'service-account-signing-key-file': options.pki.serviceAccountKey,
  'allow-privileged': 'true',
  profiling: 'false',
  ...kubeletFlags(options.pki),
  ...aggregationFlags(options.pki),
});

/** How the API server reaches kubelets for logs, exec and port-forward: by address, verified, as a client that they know. */
const kubeletFlags = (pki: PkiFiles): Flags => ({
  'kubelet-client-certificate': pki.kubeletClient.certificate,
  'kubelet-client-key': pki.kubeletClient.key,
  // Serving certificates of kubelets are signed through the API, by the authority of all signers.
  'kubelet-certificate-authority': pki.clientCa,
  'kubelet-preferred-address-types': 'InternalIP,Hostname',
});

/** How the API server forwards requests to aggregated API servers. Services are reached by their endpoints: no cluster IP is routed here. */
const aggregationFlags = (pki: PkiFiles): Flags => ({
  'requestheader-client-ca-file': pki.frontProxyCa,
  'requestheader-allowed-names': frontProxyUser,
  'requestheader-username-headers': 'X-Remote-User',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  'proxy-client-cert-file': pki.frontProxyClient.certificate,
  'proxy-client-key-file': pki.frontProxyClient.key,
  'enable-aggregator-routing': 'true',
});

/**
 * What a control plane without nodes needs: identities, namespaces, garbage, certificates and bootstrap tokens.
 * Workload controllers are left out: ready seconds sooner, and fewer requests that are not the test's own.
 * `workloads: true` brings them back.
 */
const controllers = [
  'bootstrap-signer-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'token-cleaner-controller',
  'ttl-after-finished-controller',
  'validatingadmissionpolicy-status-controller',
];

/** What turns workloads into pods and Services into endpoints, for a cluster whose nodes run pods. */
const workloadControllers = [
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'job-controller',
  'node-lifecycle-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
  'statefulset-controller',
];

/** One instance without leader election, serving nothing itself. */
export const controllerManagerFlags = (options: {
  kubeconfig: string;
  pki: PkiFiles;
  signingDuration: string;
  workloads: boolean;
}): Flags => ({
  kubeconfig: options.kubeconfig,
  'leader-elect': 'false',
  'secure-port': '0',
  controllers: [...controllers, ...(options.workloads ? workloadControllers : [])].join(','),
  'use-service-account-credentials': 'true',
  'service-account-private-key-file': options.pki.serviceAccountKey,
  'root-ca-file': options.pki.rootCa,
  'cluster-signing-cert-file': options.pki.clientCa,
  'cluster-signing-key-file': options.pki.clientCaKey,
  'cluster-signing-duration': options.signingDuration,
  profiling: 'false',
});

/** One line per finished request, without bodies. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
};
