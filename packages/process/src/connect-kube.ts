import { createKubeClient, defaultAccess, type KubeClient } from '@flotilla/kube';
import type { kubeOptions } from './option-groups.ts';
import type { OptionValues } from './options/definition.ts';
import type { Environment } from './options/environment.ts';
import type { ProcessContext } from './run-process.ts';

/** Settings that are not flags. */
export interface ConnectKubeOptions {
  /** The label of this client in metrics: `hub`, `spoke`. */
  name: string;
  /** For KUBECONFIG, proxies, the variables of a pod, and exec plugins. Default: that of the process. */
  env?: Environment;
  /** Whom the server records as owner of written fields, and the User-Agent of requests. */
  fieldManager: string;
}

/** What `main` is given by `runProcess`, as far as it is needed here. */
export type ConnectingProcess = Pick<ProcessContext<typeof kubeOptions>, 'clock' | 'log' | 'kitMetrics'> & {
  options: OptionValues<typeof kubeOptions>;
};

/**
 * A client of the API server that the options of a process name (`kubeOptions`), with the log, clock and metrics of the
 * process. Closing it also stops watching the files that its credentials come from.
 */
export function connectKube(
  { options, clock, log, kitMetrics }: ConnectingProcess,
  { name, env = process.env, fieldManager }: ConnectKubeOptions,
): KubeClient {
  const { kubeconfig, context, kubeApiQps: qps, kubeApiBurst: burst } = options;
  const access = defaultAccess({
    clock,
    env,
    ...(kubeconfig && { kubeconfig }),
    ...(context && { context }),
  });
  const client = createKubeClient({
    access,
    clock,
    log: log.child({ client: name }),
    metrics: kitMetrics(name),
    env,
    fieldManager,
    userAgent: fieldManager,
    ...(qps > 0 && { rateLimit: { qps, burst } }),
  });
  const close = async () => {
    await client.close();
    access.close();
  };
  return { ...client, close, [Symbol.asyncDispose]: close };
}
