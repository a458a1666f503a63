import { readFileSync } from 'node:fs';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { clusterRoleBindings } from '@flotilla/kube/kinds';
import type { ProcessHost } from '@flotilla/process';
import { describe, expect, it } from 'vitest';
import { main } from '../examples/my-hub.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Runs the example on a host made of data. */
function run(...argv: string[]) {
  let printed = '';
  let end = () => {};
  const host: ProcessHost = {
    argv,
    env: {},
    print: (text) => {
      printed += text;
    },
    printError: () => {},
    logDestination: { write: () => {} },
    isTerminal: false,
    on(event, listener) {
      if (event === 'SIGTERM') end = () => listener(undefined);
      return () => {};
    },
    exit: () => {},
  };
  const ended = main(host);
  return { ended, printed: () => printed, end: () => end() };
}

describe('the example of the README', () => {
  it('is the file that is run here', () => {
    expect(/```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1]).toBe(read('../examples/my-hub.ts'));
  });

  it('is a program with two commands and the flags of its drivers', async () => {
    const commands = run('--help');
    await commands.ended;
    expect(commands.printed()).toMatch(/Usage: my-hub COMMAND[\s\S]*webhook-server/);
    const flags = run('controller', '--help');
    await flags.ended;
    expect(flags.printed()).toMatch(
      /--auto-approved-csr-users[\s\S]*--oidc-user-prefix|--oidc-user-prefix[\s\S]*--auto-approved-csr-users/,
    );
  });

  it('binds the roles of an accepted cluster to the subjects of the driver that it declares', async () => {
    await using plane = await startControlPlane({ crds: customResourceDefinitions() });
    await using directory = await mkdtempDisposable(join(tmpdir(), 'flotilla-my-hub-'));
    const kubeconfig = join(directory.path, 'kubeconfig.yaml');
    await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    const flags = ['--disable-leader-election', '--listen=0', '--enabled-registration-drivers=csr,oidc'];
    const hub = run('controller', `--kubeconfig=${kubeconfig}`, ...flags);
    try {
      const clusters = plane.client.resource(managedClusters);
      const spec = { hubAcceptsClient: true };
      await clusters.create({ metadata: { name: 'cluster1' }, spec });
      const annotations = { 'agent.open-cluster-management.io/registration-auth': 'oidc' };
      await clusters.create({ metadata: { name: 'cluster2', annotations }, spec });
      const subjectsOf = async (cluster: string) =>
        (await plane.client.resource(clusterRoleBindings).list()).items
          .filter(({ metadata }) => metadata?.name?.endsWith(`:${cluster}`))
          .flatMap((binding) => (binding.subjects ?? []).map(({ name }) => name));
      await expect.poll(() => subjectsOf('cluster1')).toEqual(['system:open-cluster-management:cluster1']);
      await expect.poll(() => subjectsOf('cluster2')).toEqual(['oidc:cluster2']);
    } finally {
      hub.end();
      await hub.ended;
    }
  });
});
