import { isIPv4 } from 'node:net';
import { KubeError } from '@flotilla/kube';
import type { LoopbackServer } from '../contracts/pod-network.ts';

/** Those of these URLs that pods with a network of their own would look for on their own loopback. */
export function loopbackServers(urls: readonly string[]): LoopbackServer[] {
  return urls.flatMap((text) => {
    const url = URL.parse(text);
    if (!url) {
      throw new KubeError('Config', `servers: "${text}" is not a URL`, {
        hint: 'Give URLs of servers on this machine, such as https://127.0.0.1:6443.',
      });
    }
    if (url.hostname === '[::1]') {
      throw new KubeError('Config', `servers: pods with a network of their own cannot reach "${text}"`, {
        hint: 'Let it listen at 127.0.0.1, or set network to "machine".',
      });
    }
    const address = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname;
    if (!isIPv4(address) || !address.startsWith('127.')) return [];
    return [{ address, port: Number(url.port || (url.protocol === 'http:' ? 80 : 443)) }];
  });
}
