import { KubeError } from '@flotilla/kube';
import type { NodeAddresses } from '../addresses/node-addresses.ts';
import type { NetworkBase } from '../contracts/pod-network.ts';
import type { ProcessNodeOptions } from '../options.ts';
import { loopbackServers } from './loopback-server.ts';
import { PodNetwork, type PodNetworkHost } from './pod-network.ts';

const hint = 'Run as root on Linux with iproute2 and util-linux, or set network to "machine".';

/** What the networks of pods are made from; undefined if pods share that of the machine. Throws where they cannot be had. */
export async function networkBase(
  { network = 'machine', server, servers = [] }: ProcessNodeOptions,
  addresses: NodeAddresses,
  host: PodNetworkHost,
): Promise<NetworkBase | undefined> {
  if (network === 'machine') return undefined;
  const base: NetworkBase = { gateway: addresses.node, servers: loopbackServers([server, ...servers]) };
  const owner = 'the first network';
  try {
    if (base.gateway.startsWith('127.')) throw new Error(`${base.gateway} cannot be the gateway of pods`);
    const first = await PodNetwork.start(base, addresses.of(owner), host);
    await first.close();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new KubeError('Config', `network: pods cannot have a network namespace here: ${why}`, { hint });
  } finally {
    addresses.release(owner);
  }
  return base;
}
