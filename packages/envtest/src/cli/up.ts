import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { flotillaCrds, loadCrds } from '../cluster/load-crds.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import { EnvtestError } from '../errors.ts';
import { writePrivateFile } from '../pki/private-file.ts';
import type { CliContext } from './program.ts';

/** The flags of `up`. */
export interface UpOptions {
  /** `true` for Flotilla's own. */
  crds?: string[] | true;
  kubeconfigOut?: string;
  port?: number;
  dataDir?: string;
  source?: 'assets' | 'build' | 'download';
}

/** Runs a control plane in the foreground until SIGINT or SIGTERM. */
export async function runUp(options: UpOptions, { env, out, err }: CliContext): Promise<void> {
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const crds = options.crds === true ? await flotillaCrds() : await loadCrds(options.crds ?? []);
  if (options.kubeconfigOut) await refuseForeignFile(options.kubeconfigOut);
  await using cluster = await startCluster({
    crds,
    ...(options.port !== undefined && { port: options.port }),
    ...(options.dataDir !== undefined && { dataDirectory: options.dataDir }),
    binaries: {
      env,
      log: (line) => void err.write(`flotilla-envtest: ${line}\n`),
      ...(options.source && { source: options.source }),
    },
  });
  const kubeconfig = options.kubeconfigOut ? resolve(options.kubeconfigOut) : cluster.kubeconfigPath;
  if (options.kubeconfigOut) await writePrivateFile(kubeconfig, cluster.kubeconfig);
  try {
    out.write(welcome(cluster.server, kubeconfig));
    await stopped;
    err.write('flotilla-envtest: stopping\n');
  } finally {
    if (options.kubeconfigOut) await rm(kubeconfig, { force: true });
  }
}

const welcome = (server: string, kubeconfig: string) => `The control plane runs at ${server}; Ctrl-C ends it.

kubeconfig: ${kubeconfig}

Try:
  export KUBECONFIG=${kubeconfig}
  kubectl get namespaces
  kubectl create configmap hello --from-literal=who=world
  kubectl auth whoami
`;

/** A kubeconfig of the user is never replaced; one of an earlier run is. */
async function refuseForeignFile(path: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch(() => undefined);
  if (present === undefined || present.includes('current-context: envtest\n')) return;
  throw new EnvtestError('InvalidOption', `--kubeconfig-out: ${path} exists and is not one of ours`, {
    hint: 'Name a file that does not exist, or remove it first.',
  });
}
