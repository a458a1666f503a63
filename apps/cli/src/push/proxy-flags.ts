import { readFile } from 'node:fs/promises';
import type { ClusterAccess } from '@flotilla/kube';
import { parseProxyUrl } from '@flotilla/kube/transport';
import { CliError } from '../errors/cli-error.ts';

/** The proxy by which the hub reaches a member. Without these flags: the proxy-url of the kubeconfig. */
export interface ProxyFlags {
  readonly proxyUrl?: string;
  readonly proxyCaFile?: string;
  readonly proxyHeader?: Readonly<Record<string, string>>;
}

/** A proxy, as far as flags describe it. */
export type MemberProxy = Pick<ClusterAccess, 'proxyUrl' | 'proxyCa' | 'proxyHeaders'>;

/** The proxy of the flags. */
export async function proxyOf(flags: ProxyFlags): Promise<MemberProxy> {
  const { proxyUrl, proxyCaFile, proxyHeader } = flags;
  return {
    ...(proxyUrl !== undefined && { proxyUrl }),
    ...(proxyCaFile !== undefined && { proxyCa: await pemOf(proxyCaFile) }),
    ...(proxyHeader && { proxyHeaders: proxyHeader }),
  };
}

/**
 * The access of this command, with what a kubeconfig has no field for. A proxy that `--proxy-url` names is for the hub, which may be
 * where this machine is not: here it is used only if the kubeconfig names it too.
 */
export function withProxy(access: ClusterAccess, { proxyUrl, proxyCa, proxyHeaders }: MemberProxy): ClusterAccess {
  const isSame = access.proxyUrl !== undefined && (proxyUrl === undefined || proxyUrl === access.proxyUrl);
  if (!isSame || (proxyCa === undefined && proxyHeaders === undefined)) return access;
  return { ...access, ...(proxyCa !== undefined && { proxyCa }), ...(proxyHeaders && { proxyHeaders }) };
}

/** The access of the hub: by a proxy, if there is one. An empty address means none, whatever the kubeconfig names. */
export function byProxy(access: ClusterAccess, { proxyUrl = access.proxyUrl, ...extras }: MemberProxy): ClusterAccess {
  const { proxyUrl: _, ...direct } = access;
  return { ...direct, ...(proxyUrl && { proxyUrl }), ...extras };
}

/** Refuses a proxy that the hub could not use. Messages do not show the URL, which may hold a password. */
export function checkProxy({ proxyUrl, proxyCa, proxyHeaders }: MemberProxy): void {
  const hasHeaders = proxyHeaders !== undefined && Object.keys(proxyHeaders).length > 0;
  if (proxyUrl === undefined) {
    if (!hasHeaders && proxyCa === undefined) return;
    throw new CliError(
      'usage',
      '--proxy-header and --proxy-ca-file are for a proxy, and no proxy is named',
      'Give --proxy-url, or put proxy-url into the kubeconfig of the cluster.',
    );
  }
  const { protocol } = parseProxyUrl(proxyUrl, '--proxy-url, or proxy-url of the kubeconfig');
  if (!hasHeaders || !protocol.startsWith('socks')) return;
  throw new CliError(
    'usage',
    '--proxy-header is for proxies by HTTP and HTTPS, and this one is a SOCKS proxy',
    'Give its user and password in the URL: socks5://user:password@host:port.',
  );
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
