import { readFile } from 'node:fs/promises';
import type { ClusterAccess } from '@flotilla/kube';
import { CliError } from '../errors/cli-error.ts';

/** The proxy by which the hub reaches a member. Without these flags: the proxy-url of the kubeconfig. */
export interface ProxyFlags {
  readonly proxyUrl?: string;
  readonly proxyCaFile?: string;
  readonly proxyHeader?: Readonly<Record<string, string>>;
}

/** The proxy of the flags. */
export async function proxyOf(
  flags: ProxyFlags,
): Promise<Pick<ClusterAccess, 'proxyUrl' | 'proxyCa' | 'proxyHeaders'>> {
  const { proxyUrl, proxyCaFile, proxyHeader } = flags;
  return {
    ...(proxyUrl !== undefined && { proxyUrl }),
    ...(proxyCaFile !== undefined && { proxyCa: await pemOf(proxyCaFile) }),
    ...(proxyHeader && { proxyHeaders: proxyHeader }),
  };
}

async function pemOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CliError(
      'usage',
      `--proxy-ca-file ${file} cannot be read`,
      'Name a file with the CA of the proxy as PEM.',
      error,
    );
  }
}
