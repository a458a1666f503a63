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

export const workDriverTable = {
  Kube: { value: 'kube', on: ['ClusterManager'], meaning: 'Works are objects of the hub API server.' },
  Mqtt: { value: 'mqtt', on: ['ClusterManager'], meaning: 'Works travel as CloudEvents over MQTT.' },
  Grpc: { value: 'grpc', on: ['ClusterManager'], meaning: 'Works travel as CloudEvents over gRPC.' },
  PubSub: { value: 'pubsub', on: [], meaning: 'Works travel over Google Pub/Sub; known to the agent only.' },
} as const satisfies NameTable;

export const importRendererTable = {
  Auto: {
    value: 'render-auto',
    on: ['ClusterManager'],
    meaning: 'Render imports from what the hub knows: bootstrap token, image, pull secret.',
  },
  ConfigSecret: {
    value: 'render-from-config-secret',
    on: ['ClusterManager'],
    meaning: 'Overlay imports with the values of a secret in the cluster namespace.',
  },
} as const satisfies NameTable;

/** How clusters register. */
export const RegistrationDriverName = /* @__PURE__ */ constantsOf(registrationDriverTable);

/** How add-ons register when they ask for a Kubernetes client. */
export const AddOnRegistrationDriverName = /* @__PURE__ */ constantsOf(addOnRegistrationDriverTable);

/** How works reach the agent. */
export const WorkDriverName = /* @__PURE__ */ constantsOf(workDriverTable);

/** What renders the klusterlet for imported clusters. */
export const ImportRendererName = /* @__PURE__ */ constantsOf(importRendererTable);
