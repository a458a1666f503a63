import { access } from 'node:fs/promises';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { type ClusterAccess, kubeconfigAccess } from '@flotilla/kube';
import type { CliContext } from '../context.ts';
import { fleetDirectory } from './detach.ts';

/** What may say where the fleet is. */
export interface FleetPlace {
  readonly kubeconfig?: string;
  readonly dataDir?: string;
}

/**
 * The kubeconfig of a managed cluster in the fleet of `flotilla up` whose hub is used: beside the kubeconfig of the hub, or in the
 * directory of the fleet. Undefined if the hub is not of such a fleet.
 */
export async function fleetKubeconfig(
  { env, clock }: Pick<CliContext, 'env' | 'clock'>,
  hub: ClusterAccess,
  cluster: string,
  { kubeconfig, dataDir }: FleetPlace,
): Promise<string | undefined> {
  const files = kubeconfig !== undefined ? [kubeconfig] : (env.KUBECONFIG?.split(delimiter) ?? []);
  const beside = files.filter((file) => basename(file) === 'hub.yaml').map((file) => dirname(resolve(file)));
  for (const directory of [...beside, join(fleetDirectory(env, dataDir), 'kubeconfigs')]) {
    const file = join(directory, `${cluster}.yaml`);
    if ((await serverIn(join(directory, 'hub.yaml'), clock)) === hub.server && (await exists(file))) return file;
  }
  return undefined;
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

async function serverIn(file: string, clock: CliContext['clock']): Promise<string | undefined> {
  const source = kubeconfigAccess({ files: [file], clock });
  try {
    return (await source.current()).server;
  } catch {
    return undefined;
  } finally {
    source.close();
  }
}
