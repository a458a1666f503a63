import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { waitFor } from '@flotilla/install';
import { isConditionTrue } from '@flotilla/kube';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { admitHubAdministrators } from './cluster-proxy.ts';
import { imagesOf } from './images.ts';

/** What a fleet that the operator installs is started with. */
export interface OperatedFleetOptions {
  readonly directory: string;
  /** Whether what the servers store outlives them. */
  readonly keep: boolean;
  /** Real kube-apiservers instead of embedded ones. */
  readonly real: boolean;
  readonly clusters: number;
  readonly auth: string;
  readonly timeout: number;
  readonly context: CliContext;
  /** Says each command before it runs. */
  readonly report: (line: string) => void;
}

/** A hub and clusters with a node each, on which the operator has installed everything. */
export interface OperatedFleet extends AsyncDisposable {
  readonly hub: ApiServer;
  readonly managed: readonly ApiServer[];
}

/** Starts API servers with nodes, and installs hub and agents by the commands that a user of clusters types. */
export async function startOperatedFleet(options: OperatedFleetOptions): Promise<OperatedFleet> {
  const { clusters } = options;
  await using stack = new AsyncDisposableStack();
  const hub = stack.use(await startCluster('hub', options));
  options.report(`hub is up at ${hub.access.server}, with a node that runs pods as processes`);
  const names = Array.from({ length: clusters }, (_, index) => `cluster${index + 1}`);
  const managed = await Promise.all(names.map(async (name) => stack.use(await startCluster(name, options))));
  options.report(`${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} up, with such a node too`);
  options.report(`pods run as ${userInfo().username} on this machine, and the image busybox is its shell:`);
  options.report('whoever may create pods or works in this fleet can run commands as that user');
  const flotilla = commandOf(options);
  const grpc = options.auth === 'grpc';
  const drivers = grpc ? ['--registration-drivers', 'csr,grpc', '--grpc-endpoint-type', 'loadBalancer'] : [];
  const timeout = ['--timeout', String(options.timeout)];
  const parts = ['--feature-gates', 'ClusterProxy=true,PushAgents=true'];
  await flotilla(['init', '--operator=true', '--wait', ...drivers, ...parts, ...timeout], hub);
  const token = JSON.parse(await flotilla(['get', 'token', '-o', 'json'], hub));
  const toHub = ['--hub-token-file', '-', '--hub-apiserver', token['hub-apiserver']];
  const trust: string[] = (token['hub-ca-hashes'] ?? []).flatMap((hash: string) => ['--hub-ca-hash', hash]);
  const auth = grpc ? ['--registration-auth', 'grpc'] : [];
  for (const server of managed) {
    const named = ['--cluster-name', server.name, '--operator=true', '--feature-gates', 'ClusterProxy=true'];
    await admitHubAdministrators(server.client);
    await flotilla(['join', ...toHub, ...trust, ...named, ...auth], server, token['hub-token']);
  }
  await flotilla(['accept', '--clusters', names.join(','), '--wait', ...timeout], hub);
  await available(options, hub, names);
  const cleanup = stack.move();
  return { hub, managed, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

/** Waits until the agents, which run as pods by now, report. */
async function available({ context, timeout, report }: OperatedFleetOptions, hub: ApiServer, names: readonly string[]) {
  const clusters = hub.client.resource(managedClusters);
  const open = new Set(names);
  await waitFor(
    {
      ...context,
      goal: 'the clusters to be Available',
      hint: 'The pods of an agent: `kubectl -n open-cluster-management-agent get pods`. More time: --timeout 600.',
      timeoutMs: timeout * 1000,
      onPending: () => {},
    },
    async () => {
      for (const { metadata, status } of (await clusters.list()).items) {
        const name = metadata?.name ?? '';
        if (isConditionTrue(status?.conditions, ManagedClusterCondition.Available) && open.delete(name)) {
          report(`${name} is Available`);
        }
      }
      return open.size === 0 ? { found: true } : { pending: `${[...open].join(', ')} did not report yet` };
    },
  );
}

/** An API server and its node; the node ends first. */
async function startCluster(
  name: string,
  { directory, keep, real, context }: OperatedFleetOptions,
): Promise<ApiServer> {
  const { startProcessNode } = await import('@flotilla/process-node');
  await using stack = new AsyncDisposableStack();
  const server = stack.use(
    await startApiServer({ name, directory, keep, real, crds: [], simulator: false, workloads: true }),
  );
  stack.use(
    await startProcessNode({
      client: server.client,
      server: server.access.server,
      images: imagesOf(context.script),
      directory: join(directory, 'pods', name),
      name: `node-of-${name}`,
      clock: context.clock,
    }),
  );
  const cleanup = stack.move();
  return { ...server, [Symbol.asyncDispose]: () => cleanup.disposeAsync() };
}

/** Runs commands of this program as a user does, and resolves with what they print. What others must not read is their input. */
const commandOf =
  ({ context, report }: OperatedFleetOptions) =>
  async (argv: readonly string[], { name, kubeconfigPath }: ApiServer, input = ''): Promise<string> => {
    report(`${name}: ${context.program} ${argv.join(' ')}`);
    const child = spawn(process.execPath, [context.script, ...argv, '--kubeconfig', kubeconfigPath], {
      env: context.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      signal: context.signal,
    });
    // A command that does not read it may have ended.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    if (code === 0) return out;
    context.err.write(err);
    throw new CliError(
      'failed',
      `${context.program} ${argv[0]} failed on ${name}`,
      `The lines above say why. The pods: \`kubectl --kubeconfig ${kubeconfigPath} get pods -A\`.`,
    );
  };
