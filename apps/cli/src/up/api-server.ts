import { join } from 'node:path';
import { type ClusterAccess, type KubeClient, kubeconfigAccess, realClock } from '@flotilla/kube';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import type { KubeObject } from '@flotilla/schema';
import { CliError } from '../errors/cli-error.ts';

/** An API server of the fleet, embedded or real. */
export interface ApiServer extends AsyncDisposable {
  readonly name: string;
  readonly client: KubeClient;
  /** The administrator's, over HTTPS. */
  readonly access: ClusterAccess;
  readonly kubeconfigPath: string;
}

/** How an API server is started. */
export interface ApiServerOptions {
  readonly name: string;
  /** Where kubeconfigs are written. */
  readonly directory: string;
  /** Whether what it stores outlives it, in the directory. */
  readonly keep: boolean;
  /** A real kube-apiserver instead of the embedded one. */
  readonly real: boolean;
  readonly crds: readonly KubeObject[];
  /** Pretends to have nodes and to run workloads; only the embedded one can. */
  readonly simulator: boolean;
  /** Runs the controllers of workloads, for a node that runs their pods. */
  readonly workloads?: boolean;
}

/** Starts one. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { name, directory, keep, crds, simulator, workloads = false } = options;
  const kubeconfigPath = join(directory, 'kubeconfigs', `${name}.yaml`);
  const dataDirectory = keep ? { dataDirectory: join(directory, name) } : {};
  // Agents remember where the hub was: after a restart it should be there again.
  const port = keep ? await earlierPort(kubeconfigPath) : undefined;
  if (options.real) {
    const { startCluster } = await envtest();
    // Programs of a hub run on this machine, where a Service leads by the name `localhost`.
    const apiServerFlags = workloads ? {} : { 'enable-aggregator-routing': 'false' };
    const cluster = await startCluster({
      crds,
      apiServerFlags,
      workloads,
      ...dataDirectory,
      ...(port !== undefined && { port }),
    });
    await writeKubeconfig(
      kubeconfigPath,
      kubeconfigFor(cluster.access, { cluster: name, user: 'admin', context: name }),
    );
    return {
      name,
      client: cluster.client,
      access: cluster.access,
      kubeconfigPath,
      [Symbol.asyncDispose]: () => cluster.stop(),
    };
  }
  const { startControlPlane } = await import('@flotilla/control-plane');
  const kubeconfigNames = { cluster: name, user: 'admin', context: name };
  const start = (wanted: number) =>
    startControlPlane({ crds, simulator, workloads, kubeconfigPath, kubeconfigNames, port: wanted, ...dataDirectory });
  const plane = await (port === undefined
    ? start(0)
    : start(port).catch((error: unknown) => ifTaken(error, () => start(0))));
  return {
    name,
    client: plane.client,
    access: plane.access,
    kubeconfigPath,
    [Symbol.asyncDispose]: () => plane.stop(),
  };
}

/** It is not part of the program: it is installed only by users of real API servers. */
async function envtest() {
  return import('@flotilla/envtest').catch((error: unknown) => {
    throw new CliError(
      'precondition',
      'real API servers need the package @flotilla/envtest, which is not installed',
      'npm install @flotilla/envtest beside this program. Or leave out --kube.',
      error,
    );
  });
}

/** The port in the kubeconfig of an earlier run. */
async function earlierPort(kubeconfigPath: string): Promise<number | undefined> {
  const source = kubeconfigAccess({ files: [kubeconfigPath], clock: realClock });
  try {
    return Number(new URL((await source.current()).server).port) || undefined;
  } catch {
    return undefined;
  } finally {
    source.close();
  }
}

/** Another port will do if the earlier one is in use. */
function ifTaken<T>(error: unknown, otherwise: () => Promise<T>): Promise<T> {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === 'EADDRINUSE') return otherwise();
  }
  throw error;
}
