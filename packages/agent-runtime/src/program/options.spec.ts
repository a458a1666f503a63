import { csrDriver } from '@flotilla/driver-csr';
import { parseOptions } from '@flotilla/process';
import { registrationFlags } from '@flotilla/registration-core/agent';
import { expect, it } from 'vitest';
import { workOptions } from './options.ts';

it('[registration-agent 2.3] runs with the arguments of an OCM deployment', () => {
  const argv = [
    '--spoke-cluster-name=edge',
    '--bootstrap-kubeconfig=/spoke/bootstrap/kubeconfig',
    '--agent-id=a1',
    '--spoke-external-server-urls=https://edge:6443',
    '--client-cert-expiration-seconds=7200',
    '--cluster-annotations=agent.open-cluster-management.io/a=b',
    '--feature-gates=ClusterClaim=false',
    '--terminate-on-files=/spoke/config/kubeconfig',
    '--disable-leader-election',
  ];
  const parsed = parseOptions(registrationFlags([csrDriver]), { argv, env: {} });
  expect(parsed).toMatchObject({
    kind: 'run',
    values: {
      spokeClusterName: 'edge',
      agentId: 'a1',
      spokeExternalServerUrls: ['https://edge:6443'],
      clientCertExpirationSeconds: 7200,
      clusterHealthcheckPeriod: 60_000,
      maxCustomClusterClaims: 20,
      hubKubeconfigSecret: 'hub-kubeconfig-secret',
      featureGates: { ClusterClaim: false, AddonManagement: true },
    },
  });
});

it('reads zero as the default where OCM does not mean zero, and ignores the flags of drivers that it does not have', () => {
  const argv = [
    '--hub-connection-timeout-seconds=0',
    '--max-custom-cluster-claims=0',
    '--grpc-config=/spoke/grpc',
    '--hub-cluster-arn=arn:aws:eks:us-west-2:1:cluster/hub',
  ];
  expect(parseOptions(registrationFlags([csrDriver]), { argv, env: {} })).toMatchObject({
    values: { hubConnectionTimeoutSeconds: 600, maxCustomClusterClaims: 0 },
  });
});

it('takes several hubs and a directory for its credentials', () => {
  const argv = [
    '--feature-gates=MultipleHubs=true',
    '--bootstrap-kubeconfigs=/spoke/hub1/kubeconfig',
    '--bootstrap-kubeconfigs=/spoke/hub2/kubeconfig',
    '--hub-connection-timeout-seconds=300',
    '--hub-kubeconfig-dir=/spoke/hub-kubeconfig',
  ];
  expect(parseOptions(registrationFlags([csrDriver]), { argv, env: {} })).toMatchObject({
    values: {
      bootstrapKubeconfigs: ['/spoke/hub1/kubeconfig', '/spoke/hub2/kubeconfig'],
      hubConnectionTimeoutSeconds: 300,
      hubKubeconfigDir: '/spoke/hub-kubeconfig',
    },
  });
});

it('[work 3.1] runs the work agent with the arguments of an OCM deployment', () => {
  const argv = [
    '--spoke-cluster-name=edge',
    '--hub-kubeconfig=/spoke/hub-kubeconfig/kubeconfig',
    '--agent-id=a1',
    '--workload-source-driver=kube',
    '--workload-source-config=/spoke/hub-kubeconfig/kubeconfig',
    '--status-sync-interval=60s',
    '--terminate-on-files=/spoke/hub-kubeconfig/kubeconfig',
    '--appliedmanifestwork-eviction-grace-period=876000h',
    '--kube-api-qps=50',
    '--hub-kube-api-burst=100',
    '--feature-gates=RawFeedbackJsonString=true',
  ];
  expect(parseOptions(workOptions, { argv, env: {} })).toMatchObject({
    kind: 'run',
    values: {
      spokeClusterName: 'edge',
      statusSyncInterval: 60_000,
      appliedmanifestworkEvictionGracePeriod: 876_000 * 3_600_000,
      maxJsonRawLength: 1024,
      featureGates: { RawFeedbackJsonString: true, ExecutorValidatingCaches: false },
    },
  });
});
