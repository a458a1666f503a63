import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { netprobe } from '../examples/netprobe.ts';
import { renderFor } from './testing/render-for.ts';

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = readText('../README.md');

it('README shows the examples that are executed here', async () => {
  for (const example of ['netprobe', 'netprobe-fleet']) {
    expect(readme).toContain(`\`\`\`ts\n${readText(`../examples/${example}.ts`)}\`\`\``);
  }
  const manifests = await renderFor(netprobe, { cluster: 'c1' });
  expect(manifests.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Deployment', 'Job']);
});

it('the example of the fleet becomes available on three clusters, and goes', async () => {
  await import('../examples/netprobe-fleet.ts');
});
