import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { AccessSource } from './access.ts';
import { type FileAccessLoader, fileAccess } from './file-access.ts';
import { checkCertificates } from './key-pair.ts';

/** Where Kubernetes mounts the service account of a pod. A node that cannot mount says by the variable where it is instead. */
const serviceAccountDirectory = (env: Environment): string =>
  env.KUBERNETES_SERVICE_ACCOUNT_DIRECTORY || '/var/run/secrets/kubernetes.io/serviceaccount';

/** Process environment, as Node has it. */
type Environment = Readonly<Record<string, string | undefined>>;

/** What a pod knows about its cluster. */
export interface InClusterOptions {
  clock?: Clock;
  /** For KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. Default: that of the process. */
  env?: Environment;
  /** Where `token` and `ca.crt` are mounted. Default: where Kubernetes does, or what KUBERNETES_SERVICE_ACCOUNT_DIRECTORY says. */
  directory?: string;
}

/** Access of a pod by its service account. The kubelet's rotation of the token serves the next request. */
export const inClusterAccess = (options: InClusterOptions = {}): AccessSource =>
  fileAccess({ clock: options.clock, load: inClusterLoader(options) });

/** True where Kubernetes set the variables of a pod. */
export const isInCluster = (env: Environment = process.env): boolean =>
  Boolean(env.KUBERNETES_SERVICE_HOST && env.KUBERNETES_SERVICE_PORT);

/** Reads the service account of a pod. */
export function inClusterLoader({
  env = process.env,
  directory = serviceAccountDirectory(env),
}: Pick<InClusterOptions, 'env' | 'directory'>): FileAccessLoader {
  return async (read) => {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
    if (!host || !port) {
      throw new KubeError('Config', 'not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set', {
        hint: 'Run it in a cluster, or give a kubeconfig.',
      });
    }
    const token = (await read(join(directory, 'token'))).trim();
    if (token === '') throw new KubeError('Config', `${join(directory, 'token')} is empty`);
    const ca = await read(join(directory, 'ca.crt'));
    checkCertificates(ca, join(directory, 'ca.crt'));
    return {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      ca,
      authorization: `Bearer ${token}`,
      origin: `the service account of this pod (${directory})`,
    };
  };
}
