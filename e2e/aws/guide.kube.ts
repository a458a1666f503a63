import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from '@flotilla/envtest';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { expect, it } from 'vitest';
import { startBareServer } from '../cli/bare-server.ts';
import { openShell } from '../cli/shell.ts';
import { openReader } from '../guides/reader.ts';
import { installAwsCli } from './aws-cli.ts';
import { startEksHub } from './eks-hub.ts';

it('the guide for EKS can be followed to its end, and leaves nothing in AWS but the role of the hub', {
  timeout: 180_000,
}, async () => {
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-eks-guide-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const hub = cleanup.use(await startEksHub({ crds: [], anonymous: true }));
  cleanup.use(hub.server);
  await writeKubeconfig(join(directory, 'hub.yaml'), kubeconfigFor(hub.server.access));
  cleanup.use(await startBareServer('embedded', 'cluster1', directory));
  const shell = await openShell(directory, [], hub.env);
  await symlink((await ensureBinaries()).path('kubectl'), join(directory, 'bin/kubectl'));
  await installAwsCli(join(directory, 'bin'));
  const reader = cleanup.use(openReader(directory, shell));
  await reader.follow(await readFile(new URL('../../docs/guides/eks.md', import.meta.url), 'utf8'));
  expect([...hub.aws.entries.values()]).toEqual([]);
  expect(await hub.aws.roles()).toEqual(['hub-cluster1_managed-cluster-identity-creator']);
});
