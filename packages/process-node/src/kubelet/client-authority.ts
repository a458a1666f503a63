import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import { type ConfigMap, configMaps } from '@flotilla/kube/kinds';

export interface ClientAuthorityOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Where every API server publishes the authority of client certificates. */
const namespace = 'kube-system';
const name = 'extension-apiserver-authentication';
const retryMs = 10_000;

/** Hands over the authority of client certificates, and each that follows, until the signal aborts. Without one no client is let in. */
export async function followClientAuthority(
  { client, clock, log }: ClientAuthorityOptions,
  use: (authority: string | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const handle = client.resource(configMaps);
  let known: string | undefined;
  const take = (map: ConfigMap | undefined) => {
    const authority = map?.data?.['client-ca-file'];
    if (authority === undefined) log.warn('no authority of clients is known: kubectl logs and exec are refused');
    if (authority === known) return;
    known = authority;
    use(authority);
  };
  while (!signal.aborted) {
    try {
      const map = await handle.find(`${namespace}/${name}`, { signal });
      take(map);
      const resourceVersion = map?.metadata?.resourceVersion ?? '0';
      const watch = handle.watch({ namespace, fieldSelector: `metadata.name=${name}`, resourceVersion, signal });
      for await (const event of watch) {
        if (event.type === 'ADDED' || event.type === 'MODIFIED') take(event.object);
        if (event.type === 'DELETED') take(undefined);
      }
    } catch (error) {
      if (signal.aborted) return;
      log.warn('the authority of clients cannot be read', { error });
      await clock.sleep(retryMs, signal).catch(() => {});
    }
  }
}
