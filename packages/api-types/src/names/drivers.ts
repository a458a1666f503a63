import { constantsOf, type NameTable } from './name-table.ts';

export const registrationDriverTable = {
  Csr: { value: 'csr', on: ['ClusterManager', 'Klusterlet'], meaning: 'Client certificates by signing requests.' },
  AwsIrsa: { value: 'awsirsa', on: ['ClusterManager', 'Klusterlet'], meaning: 'IAM roles of EKS clusters.' },
  Grpc: { value: 'grpc', on: ['ClusterManager', 'Klusterlet'], meaning: 'CloudEvents over gRPC with its own signer.' },
} as const satisfies NameTable;

export const addOnRegistrationDriverTable = {
  Csr: { value: 'csr', on: ['Klusterlet', 'ManagedClusterAddOn'], meaning: 'The add-on gets a client certificate.' },
  Token: { value: 'token', on: ['Klusterlet', 'ManagedClusterAddOn'], meaning: 'The add-on gets a token.' },
} as const satisfies NameTable;

/** How clusters register. */
export const RegistrationDriverName = /* @__PURE__ */ constantsOf(registrationDriverTable);

/** How add-ons register when they ask for a Kubernetes client. */
export const AddOnRegistrationDriverName = /* @__PURE__ */ constantsOf(addOnRegistrationDriverTable);
