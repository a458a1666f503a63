import { parseOptions } from '@flotilla/process';
import { expect, it } from 'vitest';
import { hubOperatorOptions } from './hub-options.ts';

it('runs with the arguments of OCM: `registration-operator hub`', () => {
  const argv = [
    '--skip-remove-crds',
    '--control-plane-node-label-selector=node-role.kubernetes.io/infra=',
    '--deployment-replicas=2',
    '--enable-sync-labels',
    '--kube-api-qps=50',
    '--kube-api-burst=100',
    '--disable-leader-election',
    '--leader-election-lease-duration=137s',
  ];
  expect(parseOptions(hubOperatorOptions, { argv, env: {} })).toMatchObject({
    kind: 'run',
    warnings: [],
    values: {
      skipRemoveCrds: true,
      controlPlaneNodeLabelSelector: 'node-role.kubernetes.io/infra=',
      deploymentReplicas: 2,
      enableSyncLabels: true,
    },
  });
});

it('refuses a number of replicas that cannot be', () => {
  const parse = () => parseOptions(hubOperatorOptions, { argv: ['--deployment-replicas=-1'], env: {} });
  expect(parse).toThrow(/deployment-replicas/);
});
