import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { KubeError } from '../errors/kube-error.ts';
import type { ClusterAccess } from './access.ts';

/** A kubeconfig as it is written: `apiVersion: v1`, `kind: Config`. */
export interface KubeconfigDocument {
  apiVersion: 'v1';
  kind: 'Config';
  'current-context'?: string;
  clusters: { name: string; cluster: KubeconfigCluster }[];
  contexts: { name: string; context: { cluster: string; user: string; namespace?: string } }[];
  users: { name: string; user: KubeconfigUser }[];
}

/** How to reach a server; `…-data` is base64, the others name files. */
export interface KubeconfigCluster {
  server: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
  'proxy-url'?: string;
}

/** Who one is there; `…-data` is base64, the others name files. */
export interface KubeconfigUser {
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  token?: string;
  tokenFile?: string;
  username?: string;
  password?: string;
  as?: string;
  'as-uid'?: string;
  'as-groups'?: readonly string[];
  'as-user-extra'?: Readonly<Record<string, readonly string[]>>;
  exec?: KubeconfigExec;
}

/** A plugin that prints credentials. */
export interface KubeconfigExec {
  apiVersion: string;
  args?: readonly string[];
  command: string;
  /** client-go writes null for none. */
  env?: readonly { name: string; value: string }[] | null;
  provideClusterInfo?: boolean;
}

/** Names of the entries of a new kubeconfig. */
export interface KubeconfigNames {
  cluster?: string;
  user?: string;
  context?: string;
  namespace?: string;
}

/** A kubeconfig with one context, which holds all of the access inline. */
export function kubeconfigFor(access: ClusterAccess, names: KubeconfigNames = {}): KubeconfigDocument {
  const { cluster = 'default', user = 'default', context = 'default', namespace } = names;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: clusterOf(access) }],
    users: [{ name: user, user: userOf(access) }],
    contexts: [{ name: context, context: { cluster, user, ...(namespace !== undefined && { namespace }) } }],
    'current-context': context,
  };
}

function clusterOf({ server, ca, insecureSkipTlsVerify, tlsServerName, proxyUrl }: ClusterAccess): KubeconfigCluster {
  return {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': base64(ca) }),
    ...(insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(tlsServerName !== undefined && { 'tls-server-name': tlsServerName }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  };
}

function userOf({ clientCertificate, authorization, impersonate }: ClusterAccess): KubeconfigUser {
  return {
    ...(clientCertificate && {
      'client-certificate-data': base64(clientCertificate.certificate),
      'client-key-data': base64(clientCertificate.key),
    }),
    ...(authorization !== undefined && authorizationOf(authorization)),
    ...(impersonate && {
      as: impersonate.user,
      ...(impersonate.uid !== undefined && { 'as-uid': impersonate.uid }),
      ...(impersonate.groups && { 'as-groups': impersonate.groups }),
      ...(impersonate.extra && { 'as-user-extra': impersonate.extra }),
    }),
  };
}

function authorizationOf(authorization: string): KubeconfigUser {
  const [scheme, value = ''] = authorization.split(' ', 2);
  if (scheme !== 'Basic') return { token: value };
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return { username: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** YAML of a kubeconfig. */
export const formatKubeconfig = (document: KubeconfigDocument): string => stringify(document, { lineWidth: 0 });

/** Writes a kubeconfig that only its owner may read, in one step: a reader sees the old or the new one, never half of it. */
export async function writeKubeconfig(path: string, document: KubeconfigDocument): Promise<void> {
  const temporary = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(formatKubeconfig(document));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw KubeError.from(error, `cannot write ${path}`);
  }
}
