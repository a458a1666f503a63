import { readFileSync } from 'node:fs';
import { clusterManagers, klusterlets } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { deployments, namespaces } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { runAgents } from '../examples/run-the-operator-of-agents.ts';
import { runOperator } from '../examples/run-the-operator-of-hubs.ts';

it('has an example in its README that makes a cluster a hub', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const example = readFileSync(new URL('../examples/run-the-operator-of-hubs.ts', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  const crds = customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'ClusterManager');
  await using plane = await startControlPlane({ listen: false, crds });
  const stop = new AbortController();
  const running = runOperator(plane.client, [{ authType: 'csr' }], stop.signal);
  await plane.client.resource(clusterManagers).create({ metadata: { name: 'cluster-manager' }, spec: {} });
  const key = 'open-cluster-management-hub/cluster-manager-registration-controller';
  const image = async () =>
    (await plane.client.resource(deployments).find(key))?.spec?.template.spec?.containers[0]?.image;
  await expect.poll(image, { timeout: 25_000 }).toBe('example.com/hub:v1');
  stop.abort();
  await running;
});

it('has an example in its README that runs the agents of a cluster', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const example = readFileSync(new URL('../examples/run-the-operator-of-agents.ts', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  const crds = customResourceDefinitions().filter(({ spec }) => spec.names.kind === 'Klusterlet');
  await using plane = await startControlPlane({ listen: false, crds });
  const { client } = plane;
  await client.resource(namespaces).create({ metadata: { name: 'open-cluster-management' } });
  const stop = new AbortController();
  const running = runAgents(client, stop.signal);
  await client.resource(klusterlets).create({ metadata: { name: 'klusterlet' }, spec: { clusterName: 'cluster1' } });
  const key = 'open-cluster-management-agent/klusterlet-registration-agent';
  const image = async () => (await client.resource(deployments).find(key))?.spec?.template.spec?.containers[0]?.image;
  await expect.poll(image, { timeout: 25_000 }).toBe('example.com/agent:v1');
  stop.abort();
  await running;
});
