import { isIP } from 'node:net';
import { KubeError } from '@flotilla/kube';
import { isLoopback } from '@flotilla/kube/transport';
import { parseListenAddress } from '@flotilla/process';

/** Where the endpoint listens, and where add-ons find it. */
export interface EndpointAddress {
  readonly host: string;
  /** 0: the one that it had before, or any that is free. */
  readonly port: number;
  /** `host:port` for the kubeconfigs of add-ons; undefined for the address at which it listens. */
  readonly advertised: string | undefined;
  /** What its certificate is for. */
  readonly names: readonly string[];
}

/** Reads the flags. Throws `Config` if add-ons could not find the endpoint. */
export function endpointAddress(options: {
  readonly addonEndpointListen: string;
  readonly addonEndpointAddress: string;
}): EndpointAddress {
  const listen = parseListenAddress(options.addonEndpointListen);
  if (!listen) {
    throw new KubeError(
      'Config',
      `--addon-endpoint-listen=${JSON.stringify(options.addonEndpointListen)} is not an address`,
      {
        hint: 'Leave it out to listen on loopback, or give --addon-kubeclient-registration-auth=csr for no endpoint.',
      },
    );
  }
  const { host = '0.0.0.0', port } = listen;
  const advertised = options.addonEndpointAddress || undefined;
  const name = advertised === undefined ? undefined : hostOf(advertised);
  if (name === undefined && isEveryInterface(host)) {
    throw new KubeError(
      'Config',
      `--addon-endpoint-listen=${options.addonEndpointListen} needs --addon-endpoint-address`,
      {
        hint: 'Give it the host:port at which add-ons reach the agent, such as that of a Service.',
      },
    );
  }
  const own = isEveryInterface(host) ? [] : [host];
  const names = new Set([...(name === undefined ? [] : [name]), ...own, ...(isLoopback(host) ? ['localhost'] : [])]);
  return { host, port, advertised, names: [...names] };
}

const isEveryInterface = (host: string): boolean => ['0.0.0.0', '::'].includes(host);

function hostOf(address: string): string {
  const parsed = parseListenAddress(address);
  if (parsed?.host !== undefined && parsed.port > 0) return parsed.host;
  throw new KubeError('Config', `--addon-endpoint-address=${JSON.stringify(address)} is not host:port`, {
    hint: 'Write it as agent.open-cluster-management-agent.svc:9443, for example.',
  });
}

/** The address in a URL. */
export const urlHost = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
