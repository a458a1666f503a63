import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type GuideClusters, startClustersOn } from '../operator/guide-clusters.ts';
import { bundleOf } from '../registration/program.ts';

/** Only ends what hangs, also on a machine that is busy elsewhere. */
export const patience = { timeout: 120_000, interval: 500 };

/** What readers of the guides of other projects have: clusters, and a shell in which their command lines are commands. */
export interface GuideShell extends GuideClusters<'hub' | 'managed'> {
  /** Runs a block of a guide, which must succeed, and gives its output. */
  run(block: string): Promise<string>;
  /** What a block prints by and by, errors too. */
  says(block: string): ReturnType<typeof expect.poll<string>>;
  /** Writes a file beside the shell. */
  file(name: string, text: string): Promise<void>;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Starts clusters on embedded control planes, with our program as `clusteradm` and `karmadactl`, and a stand-in for kubectl. */
export async function startGuideShell(): Promise<GuideShell> {
  const clusters = await startClustersOn('embedded', ['hub', 'managed'], commands);
  const variables = 'export CTX_HUB_CLUSTER=hub CTX_MANAGED_CLUSTER=managed MANAGED_CLUSTER_NAME=cluster1';
  const sh = (block: string) => clusters.sh(`sh -c ${quoted(`set -e\n${variables}\n${block}`)}`);
  return {
    ...clusters,
    sh,
    async run(block) {
      const result = await sh(block);
      expect(result, `${block}\n${result.out}\n${result.err}`).toMatchObject({ code: 0 });
      return result.out;
    },
    says: (block) =>
      expect.poll(async () => {
        const { out, err } = await sh(block);
        return `${out}${err}`;
      }, patience),
    file: (name, text) => writeFile(join(clusters.directory, name), text),
  };
}

/** Makes the commands of the guides; gives the directory for the PATH. */
async function commands(directory: string): Promise<string> {
  const [bin, links] = [join(directory, 'guide-bin'), join(directory, 'links')];
  await mkdir(bin);
  await mkdir(links);
  const command = async (name: string, script: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${script} "$@"\n`);
    await chmod(join(bin, name), 0o755);
  };
  for (const name of ['clusteradm', 'karmadactl']) {
    await symlink(bundleOf('cli'), join(links, name));
    await command(name, join(links, name));
  }
  await command('kubectl', fileURLToPath(new URL('kubectl.ts', import.meta.url)));
  return bin;
}
