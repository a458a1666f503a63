import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from '@flotilla/envtest';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type BareServer, startBareServer } from '../cli/bare-server.ts';
import { openShell } from '../cli/shell.ts';
import { openReader, type Reader } from './reader.ts';

/** Guides that continue one another, each row on clusters of its own. */
const stories = [
  {
    whose: 'a platform team',
    guides: ['install-a-hub', 'register-clusters', 'distribute-works', 'placement', 'roll-out', 'add-ons', 'remove'],
  },
  { whose: 'clusters that reach the hub by gRPC only', guides: ['grpc'] },
  { whose: 'users of Karmada', guides: ['coming-from-karmada'] },
  { whose: 'clusters that the hub reaches itself', guides: ['push-mode'] },
];

describe.each(stories)('the guides of $whose', { timeout: 180_000 }, ({ guides }) => {
  let directory: string;
  let reader: Reader;
  const servers: BareServer[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-guides-'));
    reader = openReader(directory, await openShell(directory));
    await symlink((await ensureBinaries()).path('kubectl'), join(directory, 'bin/kubectl'));
    const names = ['hub', 'cluster1'];
    servers.push(...(await Promise.all(names.map((name) => startBareServer('kube-apiserver', name, directory)))));
  });

  afterAll(async () => {
    await reader?.[Symbol.asyncDispose]();
    for (const server of servers) await server[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  it.each(guides)('%s can be followed to its end', async (name) => {
    const page = await readFile(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');
    await reader.follow(page);
  });
});
