import type { RequestOptions } from 'node:https';
import { type ApiConstructor, type ApiType, KubeConfig, type RequestContext } from '@kubernetes/client-node';
import type { AccessSource, ClusterAccess } from '../credentials/access.ts';
import type { KubeClient } from '../resources/kube-client.ts';
import { apiConfiguration } from './api-configuration.ts';

/**
 * A KubeConfig of client-node whose credentials follow an access source: exec, logs, port-forward, watches and informers of
 * client-node read them anew for each connection. API classes that it makes use the transport of the client.
 */
export async function reloadingKubeConfig(
  client: Pick<KubeClient, 'transport'>,
  access: Pick<AccessSource, 'current'>,
): Promise<KubeConfig> {
  const config = new ReloadingKubeConfig(client, access);
  await config.reload();
  return config;
}

class ReloadingKubeConfig extends KubeConfig {
  readonly #client: Pick<KubeClient, 'transport'>;
  readonly #access: Pick<AccessSource, 'current'>;
  #loaded: string | undefined;
  #generation = 0;

  constructor(client: Pick<KubeClient, 'transport'>, access: Pick<AccessSource, 'current'>) {
    super();
    this.#client = client;
    this.#access = access;
  }

  /** Takes over the newest access. Names count up, because client-node keeps sockets by the names of cluster and user. */
  async reload(): Promise<void> {
    const { expiresAt: _, ...current } = await this.#access.current();
    const text = JSON.stringify(current);
    if (text === this.#loaded) return;
    this.#loaded = text;
    this.#generation += 1;
    const name = `access-${this.#generation}`;
    this.loadFromOptions({
      clusters: [clusterOf(name, current)],
      users: [userOf(name, current)],
      contexts: [{ name, cluster: name, user: name }],
      currentContext: name,
    });
  }

  override async applyToHTTPSOptions(options: RequestOptions): Promise<void> {
    await this.reload();
    await super.applyToHTTPSOptions(options);
  }

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await this.reload();
    await super.applySecurityAuthentication(context);
  }

  override makeApiClient<T extends ApiType>(type: ApiConstructor<T>): T {
    return new type(apiConfiguration(this.#client));
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const clusterOf = (name: string, access: ClusterAccess) => ({
  name,
  server: access.server.replace(/\/$/, ''),
  skipTLSVerify: access.insecureSkipTlsVerify ?? false,
  ...(access.ca && { caData: base64(access.ca) }),
  ...(access.tlsServerName && { tlsServerName: access.tlsServerName }),
  ...(access.proxyUrl && { proxyUrl: access.proxyUrl }),
});

function userOf(name: string, { clientCertificate, authorization = '', impersonate }: ClusterAccess) {
  const [scheme, value = ''] = authorization.split(' ', 2);
  const [username, ...password] = Buffer.from(value, 'base64').toString('utf8').split(':');
  return {
    name,
    ...(clientCertificate && {
      certData: base64(clientCertificate.certificate),
      keyData: base64(clientCertificate.key),
    }),
    ...(scheme === 'Bearer' && { token: value }),
    ...(scheme === 'Basic' && { username, password: password.join(':') }),
    ...(impersonate && { impersonateUser: impersonate.user }),
  };
}
