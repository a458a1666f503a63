import { constantsOf, type NameTable } from './name-table.ts';

export const signerTable = {
  KubeApiServerClient: {
    value: 'kubernetes.io/kube-apiserver-client',
    on: ['CertificateSigningRequest', 'ManagedClusterAddOn'],
    meaning: 'Client certificates for the hub API server, signed by kube-controller-manager.',
  },
  Grpc: {
    value: 'open-cluster-management.io/grpc',
    on: ['CertificateSigningRequest'],
    meaning: 'Client certificates for the gRPC server, signed by the hub registration controller.',
  },
} as const satisfies NameTable;

/** Signer names of certificate signing requests. */
export const Signer = /* @__PURE__ */ constantsOf(signerTable);
