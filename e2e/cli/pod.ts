import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configMaps, deployments, secrets } from '@flotilla/kube/kinds';
import { bundleOf } from '../registration/program.ts';
import { kubeconfigOf, type Server } from '../registration/servers.ts';

/**
 * The command line by which a kubelet would start the container of a Deployment, with its environment, also that of ConfigMaps, its
 * Secrets as files, and the rights of its service account. `app` is the program that is in its image.
 */
export async function podCommand(server: Server, key: string, app: string, directory: string): Promise<string> {
  const { spec, metadata } = await server.client.resource(deployments).get(key);
  const { containers = [], volumes = [], serviceAccountName } = spec?.template.spec ?? {};
  const [container] = containers;
  const namespace = metadata?.namespace ?? '';
  const secret = async (name = '') => (await server.client.resource(secrets).find(`${namespace}/${name}`))?.data ?? {};
  const decoded = (value: string) => Buffer.from(value, 'base64').toString();

  let args = container?.args ?? [];
  for (const { name, mountPath } of container?.volumeMounts ?? []) {
    const data = await secret(volumes.find((volume) => volume.name === name)?.secret?.secretName);
    const path = join(directory, name);
    await mkdir(path, { recursive: true });
    for (const [file, value] of Object.entries(data)) await writeFile(join(path, file), decoded(value));
    args = args.map((arg) => arg.replace(mountPath, path));
  }
  const env: string[] = [];
  for (const { configMapRef } of container?.envFrom ?? []) {
    const found = await server.client.resource(configMaps).find(`${namespace}/${configMapRef?.name}`);
    env.push(...Object.entries(found?.data ?? {}).map(([name, value]) => `${name}=${value}`));
  }
  for (const { name, valueFrom } of container?.env ?? []) {
    const { secretKeyRef } = valueFrom ?? {};
    const value = secretKeyRef && (await secret(secretKeyRef.name))[secretKeyRef.key];
    if (value !== undefined) env.push(`${name}=${decoded(value)}`);
  }
  const kubeconfig = await kubeconfigOf(server, `${namespace}/${serviceAccountName}`, directory);
  // Ports of a pod are its own; here they are shared with this machine.
  const own = args.filter((arg) => !arg.startsWith('--listen'));
  const here = ['--listen=127.0.0.1:0', `--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`];
  return ['env', ...env, process.execPath, bundleOf(app), ...own, ...here].join(' ');
}
