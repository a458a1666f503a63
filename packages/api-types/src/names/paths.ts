import { composed } from './composed.ts';
import { constantsOf, type NameTable } from './name-table.ts';

export const pathTable = {
  HubKubeconfigDirectory: { value: '/spoke/hub-kubeconfig', on: ['Pod'], meaning: 'Credentials for the hub.' },
  BootstrapDirectory: { value: '/spoke/bootstrap', on: ['Pod'], meaning: 'The bootstrap secret.' },
  MultipleHubsBootstrapDirectory: composed('/spoke/{secret}', ['Pod'], 'One of several bootstrap secrets.'),
  SpokeConfigDirectory: { value: '/spoke/config', on: ['Pod'], meaning: 'Kubeconfig of a hosted managed cluster.' },
  HubDirectory: { value: '/var/run/secrets/hub', on: ['Pod'], meaning: 'Kubeconfig of a hosted hub.' },
  GrpcSignerDirectory: { value: '/var/run/secrets/hub/grpc/certs', on: ['Pod'], meaning: 'Key of the gRPC signer.' },
  GrpcConfigDirectory: { value: '/var/run/secrets/hub/grpc/config', on: ['Pod'], meaning: 'gRPC server options.' },
  GrpcServingCertDirectory: {
    value: '/var/run/secrets/hub/grpc/serving-cert',
    on: ['Pod'],
    meaning: 'Serving certificate of the gRPC server.',
  },
  GrpcCaDirectory: { value: '/var/run/secrets/hub/grpc/ca', on: ['Pod'], meaning: 'CA of gRPC clients.' },
  ClusterProxyServingCertDirectory: {
    value: '/var/run/secrets/cluster-proxy/serving-cert',
    on: ['Pod'],
    meaning: 'Serving certificate of the API by which clusters are reached. Not in OCM.',
  },
  ClusterProxyCaDirectory: {
    value: '/var/run/secrets/cluster-proxy/ca',
    on: ['Pod'],
    meaning: 'CA by which replicas of that API verify one another. Not in OCM.',
  },
  WorkDriverDirectory: { value: '/var/run/secrets/work', on: ['Pod'], meaning: 'Options of the work driver.' },
  WebhookServingCertDirectory: {
    value: '/tmp/k8s-webhook-server/serving-certs',
    on: ['Pod'],
    meaning: 'Serving certificate of webhooks.',
  },
  AwsCli: { value: '/awscli/dist/aws', on: ['Pod'], meaning: 'Command in kubeconfigs of the awsirsa driver.' },
  AddOnHubKubeconfigDirectory: {
    value: '/managed/hub-kubeconfig',
    on: ['Pod'],
    meaning: 'Credentials of a template add-on for the hub.',
  },
  AddOnSignerDirectory: composed('/managed/{signer}', ['Pod'], 'Certificate of a template add-on, slashes as dashes.'),
  AddOnProxyCaDirectory: { value: '/managed/proxy-ca', on: ['Pod'], meaning: 'CA of the proxy of a template add-on.' },
} as const satisfies NameTable;

/** Paths in containers on which operators, agents and add-ons agree. */
export const MountPath = /* @__PURE__ */ constantsOf(pathTable);
