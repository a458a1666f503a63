import { KubeError } from '@flotilla/kube';
import type { ClientConfig, ServiceReference, ServiceResolver } from '../../contracts/webhook-caller.ts';

/** Where a webhook listens. */
export interface Endpoint {
  /** As errors show it. */
  readonly url: URL;
  /** Where to connect, if that is somewhere else. */
  readonly connect: URL;
  /** The name that the certificate must have. */
  readonly serverName?: string;
  /** PEM. */
  readonly ca?: string;
}

/** A webhook is reached by its URL, or as a service by whatever the resolver says. */
export function endpointOf({ url, service, caBundle }: ClientConfig, resolve: ServiceResolver): Endpoint {
  const ca = caBundle === undefined || caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString('utf8');
  if (service) return { ...serviceEndpoint(service, resolve), ...(ca !== undefined && { ca }) };
  if (url === undefined || url === '') {
    throw new KubeError('Config', 'webhook configuration must have either service or URL');
  }
  const parsed = parseUrl(url);
  return { url: parsed, connect: parsed, ...(ca !== undefined && { ca }) };
}

function serviceEndpoint(service: ServiceReference, resolve: ServiceResolver): Endpoint {
  const { namespace, name, path = '', port = 443 } = service;
  const serverName = `${name}.${namespace}.svc`;
  const url = parseUrl(`https://${serverName}:${port}${path === '' || path.startsWith('/') ? path : `/${path}`}`);
  const resolved = resolve(service);
  if (resolved === undefined) {
    throw new KubeError(
      'Config',
      `service "${namespace}/${name}" cannot be reached: this control plane has no cluster network`,
      { hint: 'Use clientConfig.url, or start the control plane with a resolver for webhook services.' },
    );
  }
  const connect = parseUrl(resolved);
  connect.pathname = url.pathname;
  return { url, connect, serverName };
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:') return url;
  throw new KubeError('Config', `webhook URL ${JSON.stringify(text)} is not an https URL`);
}
