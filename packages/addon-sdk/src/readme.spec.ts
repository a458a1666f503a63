import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { netprobe } from '../examples/netprobe.ts';
import { renderFor } from './testing/render-for.ts';

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = readText('../README.md');
const guide = readText('../../../docs/guides/write-an-addon.md');

it('README and guide show the example that is executed here', async () => {
  for (const page of [readme, guide]) {
    expect(page).toContain(`\`\`\`ts\n${readText('../examples/netprobe.ts')}\`\`\``);
    expect(page).toContain(`\`\`\`ts\n${readText('../examples/netprobe-fleet.ts')}\`\`\``);
  }
  expect(guide).toContain(`\`\`\`yaml\n${readText('../examples/manifests/agent.yaml')}\`\`\``);
  const manifests = await renderFor(netprobe, { cluster: 'c1' });
  expect(manifests.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Deployment', 'Job']);
});

it('the example of the fleet becomes available on three clusters, and goes', async () => {
  await import('../examples/netprobe-fleet.ts');
});
