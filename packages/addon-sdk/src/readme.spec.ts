import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { netprobe } from '../examples/netprobe.ts';
import { startEngine } from './fixtures/running-engine.ts';
import { renderFor } from './testing/render-for.ts';

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('README shows the example that is executed here', () => {
  expect(readText('../README.md')).toContain(`\`\`\`ts\n${readText('../examples/netprobe.ts')}\`\`\``);
});

it('the example renders its templates', async () => {
  const manifests = await renderFor(netprobe, { cluster: 'c1' });
  expect(manifests.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Deployment', 'Job']);
});

it('the example is deployed and becomes available', async () => {
  await using hub = await startEngine(netprobe);
  await hub.addCluster('c1');
  await hub.enable('c1', 'netprobe');
  // Templates are read from disk.
  await expect.poll(() => hub.works('c1')).toHaveLength(1);
  const agent = 'deployments open-cluster-management-agent-addon/netprobe';
  await hub.report('c1', 'addon-netprobe-deploy-0', { feedback: { [agent]: { Replicas: 1, ReadyReplicas: 1 } } });
  await expect
    .poll(() => hub.condition('c1', 'netprobe', 'Available'))
    .toBe('True ProbeAvailable: netprobe add-on is available.');
});
