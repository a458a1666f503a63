import { ClusterProxyApi } from '@flotilla/api-types';

/** What a request to the aggregated API asks for. */
export type Target =
  | { readonly kind: 'proxy'; readonly cluster: string /** Path and query on the cluster. */; readonly path: string }
  | { readonly kind: 'tunnel'; readonly cluster: string }
  | { readonly kind: 'discovery'; readonly path: string }
  | { readonly kind: 'unknown' };

const { group, version, clusters, proxy, tunnels, attach } = ClusterProxyApi;
const root = `/apis/${group}/${version}`;
/** Names of clusters are DNS names: what the API server authorized by its decoded path is the same as what is matched here. */
const name = '([a-z0-9]([a-z0-9.-]*[a-z0-9])?)';
const proxied = new RegExp(`^${root}/${clusters}/${name}/${proxy}(/.*)?$`);
const tunneled = new RegExp(`^${root}/namespaces/${name}/${tunnels}/${name}/${attach}/?$`);
const discovered = new Set(['/apis', `/apis/${group}`, root, '/openapi/v2', '/openapi/v3', '/healthz', '/readyz']);

/** Reads a URL as the API server does which authorized it. A path that tries to leave its cluster is unknown. */
export function targetOf(url: string): Target {
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const query = at < 0 ? '' : url.slice(at);
  const toCluster = proxied.exec(path);
  if (toCluster) {
    const [, cluster = '', , rest = '/'] = toCluster;
    return hasDots(rest) ? { kind: 'unknown' } : { kind: 'proxy', cluster, path: rest + query };
  }
  const [, namespace, , cluster] = tunneled.exec(path) ?? [];
  if (cluster !== undefined && namespace === cluster) return { kind: 'tunnel', cluster };
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
  return discovered.has(trimmed) ? { kind: 'discovery', path: trimmed } : { kind: 'unknown' };
}

const hasDots = (path: string): boolean => /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path.replaceAll(/%2f/gi, '/'));
