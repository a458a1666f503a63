import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clusterManagementAddOns,
  Label,
  managedClusterAddOns,
  managedClusters,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { leases, namespaces } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { startProgram } from '../fixtures/data-host.ts';
import { runAddonManager } from './addon-manager.ts';

const hub = 'open-cluster-management-hub';
const program = { name: 'my-hub', version: '1.0.0', drivers: [] };

it('the add-on manager runs alone, with the flags and the lease of OCM, and installs by placement', async () => {
  await using plane = await startControlPlane({ crds: customResourceDefinitions() });
  await using directory = await mkdtempDisposable(join(tmpdir(), 'flotilla-hub-'));
  const { client } = plane;
  for (const name of [hub, 'ns', 'c1']) await client.resource(namespaces).create({ metadata: { name } });
  await client.resource(managedClusters).create({ metadata: { name: 'c1' } });
  await client.resource(placements).create({ metadata: { namespace: 'ns', name: 'p' }, spec: {} });
  const labels = { [Label.Placement]: 'p', [Label.DecisionGroupIndex]: '0', [Label.DecisionGroupName]: '' };
  await client.resource(placementDecisions).create({ metadata: { namespace: 'ns', name: 'p-decision-1', labels } });
  const status = { decisions: [{ clusterName: 'c1', reason: '' }] };
  await client.resource(placementDecisions).status.patch('ns/p-decision-1', { type: 'merge', body: { status } });
  await client.resource(clusterManagementAddOns).create({
    metadata: { name: 'hello' },
    spec: { installStrategy: { type: 'Placements', placements: [{ namespace: 'ns', name: 'p' }] } },
  });

  const kubeconfig = join(directory.path, 'kubeconfig.yaml');
  await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
  const started = startProgram(
    (host) => runAddonManager(host, program),
    [
      `--kubeconfig=${kubeconfig}`,
      `--namespace=${hub}`,
      '--listen=0',
      '--kube-api-qps=50',
      '--kube-api-burst=100',
      '--leader-election-lease-duration=137s',
      '--leader-election-renew-deadline=107s',
      '--leader-election-retry-period=26s',
      '--tls-min-version=VersionTLS12',
      '--feature-gates=AddonManagement=true',
    ],
  );
  try {
    await expect.poll(() => client.resource(managedClusterAddOns).find('c1/hello')).toBeDefined();
    expect((await client.resource(leases).get(`${hub}/manager-lock`)).spec?.holderIdentity).toBeTruthy();
  } finally {
    started.end();
    expect(await started.exitCode).toBe(0);
  }
});
