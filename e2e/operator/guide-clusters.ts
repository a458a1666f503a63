import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureBinaries } from '@flotilla/envtest';
import type { KubeClient } from '@flotilla/kube';
import { type KubeconfigDocument, kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { startProcessNode } from '@flotilla/process-node';
import { openShell, type ShellResult } from '../cli/shell.ts';
import { type Server, type ServerKind, startServer } from '../registration/servers.ts';
import { ownImages } from './own-images.ts';

/** Clusters with a node each, and a shell whose kubeconfig has a context for each. */
export interface GuideClusters<Name extends string> extends AsyncDisposable {
  readonly servers: Readonly<Record<Name, Server>>;
  /** Runs a line in a shell that has `flotilla` and `kubectl`. */
  sh(line: string): Promise<ShellResult>;
  /** Where the shell is. */
  readonly directory: string;
  /** The lines of the logs of all pods of a namespace that hold a text. */
  logs(client: KubeClient, namespace: string, text: string): Promise<string[]>;
}

/** Starts real API servers with process nodes. */
export const startGuideClusters = <const Name extends string>(
  ...names: readonly Name[]
): Promise<GuideClusters<Name>> =>
  startClustersOn('kube-apiserver', names, async () => dirname((await ensureBinaries()).path('kubectl')));

/** Starts API servers with process nodes. `commands` gives the directory of the programs that the shell has besides `flotilla`. */
export async function startClustersOn<const Name extends string>(
  kind: ServerKind,
  names: readonly Name[],
  commands: (directory: string) => Promise<string>,
): Promise<GuideClusters<Name>> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-guide-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const started = await Promise.all(
    names.map(async (name) => {
      const server = stack.use(await startServer(kind, { crds: [], workloads: true }));
      const pods = join(directory, `pods-${name}`);
      const { client, access } = server;
      stack.use(
        await startProcessNode({
          client,
          server: access.server,
          images: ownImages,
          directory: pods,
          name: `node-${name}`,
        }),
      );
      return [name, server] as const;
    }),
  );
  const kubeconfig = join(directory, 'kubeconfig.yaml');
  await writeKubeconfig(kubeconfig, merged(started));
  const shell = await openShell(directory, [await commands(directory)], { KUBECONFIG: kubeconfig });
  const cleanup = stack.move();
  return {
    servers: Object.fromEntries(started) as Record<Name, Server>,
    directory,
    sh: (line) => shell.run(line),
    logs,
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

/** One kubeconfig with a context for each cluster; the first is the current one. */
function merged(servers: readonly (readonly [string, Server])[]): KubeconfigDocument {
  const documents = servers.map(([name, { access }]) =>
    kubeconfigFor(access, { cluster: name, user: `admin-${name}`, context: name }),
  );
  const [first] = documents;
  if (!first) throw new Error('name a cluster');
  return {
    ...first,
    clusters: documents.flatMap(({ clusters }) => clusters),
    contexts: documents.flatMap(({ contexts }) => contexts),
    users: documents.flatMap(({ users }) => users),
  };
}

async function logs(client: KubeClient, namespace: string, text: string): Promise<string[]> {
  const { pods } = await import('@flotilla/kube/kinds');
  const { items } = await client.resource(pods).list({ namespace });
  const found = await Promise.all(
    items.map(async ({ metadata, spec }) => {
      const path = `/api/v1/namespaces/${namespace}/pods/${metadata?.name}/log?container=${spec?.containers[0]?.name}`;
      const { body } = await client.transport.request({ method: 'GET', path }).catch(() => ({ body: '' }));
      return body.split('\n').map((line) => `${metadata?.name}: ${line}`);
    }),
  );
  return found.flat().filter((line) => line.includes(text));
}
