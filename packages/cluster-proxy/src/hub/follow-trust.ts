import { type Informers, KubeError } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { type FrontProxyTrust, trustConfigMap, trustOf } from '../identity/front-proxy.ts';

/** Whom the API server tells others to believe, as of now. */
export interface FollowedTrust {
  current(): FrontProxyTrust | undefined;
  close(): void;
}

/** Reads whom to believe, and calls back when that changes. */
export async function followTrust(
  informers: Informers,
  signal: AbortSignal,
  onChange: (trust: FrontProxyTrust | undefined) => void,
): Promise<FollowedTrust> {
  const { namespace, name } = trustConfigMap;
  const cache = informers.resource(configMaps, { namespace, fieldSelector: `metadata.name=${name}` });
  const read = () => trustOf(cache.get(`${namespace}/${name}`));
  await cache.whenSynced({ signal });
  let current = read();
  if (!current) throw noFrontProxy();
  let known = JSON.stringify(current);
  const subscription = cache.changes.subscribe(() => {
    const next = read();
    const text = JSON.stringify(next);
    if (text === known) return;
    [current, known] = [next, text];
    onChange(next);
  });
  return {
    current: () => current,
    close() {
      subscription.unsubscribe();
      cache.close();
    },
  };
}

const noFrontProxy = (): KubeError =>
  new KubeError(
    'Config',
    `the API server of the hub has no front proxy: ${trustConfigMap.namespace}/${trustConfigMap.name} names none`,
    {
      hint: 'Start kube-apiserver with --requestheader-client-ca-file, --requestheader-username-headers and --proxy-client-cert-file.',
    },
  );
