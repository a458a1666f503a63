import { readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBinaries } from '@flotilla/envtest';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { it } from 'vitest';
import { startBareServer } from '../cli/bare-server.ts';
import { openShell } from '../cli/shell.ts';
import { startGuideClusters } from '../operator/guide-clusters.ts';
import { openReader } from './reader.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('the guide of the operator can be followed to its end, on clusters with nodes', { timeout: 400_000 }, async () => {
  await using clusters = await startGuideClusters('hub', 'cluster1');
  const { directory, servers } = clusters;
  for (const [name, { access }] of Object.entries(servers)) {
    await writeKubeconfig(join(directory, `${name}.yaml`), kubeconfigFor(access));
  }
  // A hosted agent manages a cluster without nodes.
  await using _hosted = await startBareServer('kube-apiserver', 'cluster2', directory);
  await symlink(join(root, 'deploy'), join(directory, 'deploy'));
  const kubectl = dirname((await ensureBinaries()).path('kubectl'));
  await using reader = openReader(directory, await openShell(directory, [kubectl]));
  const page = await readFile(join(root, 'docs/guides/operator.md'), 'utf8');
  await reader.follow(page);
});
