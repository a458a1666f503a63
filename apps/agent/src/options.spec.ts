import { csrDriver } from '@flotilla/driver-csr';
import { parseOptions } from '@flotilla/kube/process';
import { expect, it } from 'vitest';
import { registrationOptions } from './options.ts';

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
  const parsed = parseOptions(registrationOptions([csrDriver]), { argv, env: {} });
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

it('says that it needs a bootstrap kubeconfig', () => {
  expect(() => parseOptions(registrationOptions([csrDriver]), { argv: [], env: {} })).toThrow(
    /--bootstrap-kubeconfig is required/,
  );
});
