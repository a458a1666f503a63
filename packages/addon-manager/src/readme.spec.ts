import { readFileSync } from 'node:fs';
import { clusterManagementAddOns, managedClusterAddOns } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { namespaces } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { runAddOns } from '../examples/run-add-ons.ts';

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('README shows the example that is executed here', async () => {
  expect(readText('../README.md')).toContain(`\`\`\`ts\n${readText('../examples/run-add-ons.ts')}\`\`\``);
  await using plane = await startControlPlane({ listen: false, crds: customResourceDefinitions() });
  const end = new AbortController();
  const running = runAddOns(plane.client, end.signal);
  await plane.client.resource(namespaces).create({ metadata: { name: 'cluster1' } });
  await plane.client.resource(clusterManagementAddOns).create({ metadata: { name: 'hello' }, spec: {} });
  const addOns = plane.client.resource(managedClusterAddOns);
  await addOns.create({ metadata: { namespace: 'cluster1', name: 'hello' }, spec: {} });
  const owner = async () => (await addOns.get('cluster1/hello')).metadata?.ownerReferences?.[0]?.kind;
  await expect.poll(owner).toBe('ClusterManagementAddOn');
  end.abort();
  await running;
});
