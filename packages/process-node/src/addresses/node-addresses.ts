import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { Logger } from '@flotilla/kube';
import { KubeError } from '@flotilla/kube';

const execute = promisify(execFile);

/** Where the addresses of nodes and pods come from. */
interface AddressRange {
  /** The first three numbers of one of its /24 networks. */
  network(): string;
}

/** Reserved for tests of network devices (RFC 2544), so no real network has it; made local as a whole by one route. */
const testRange = '198.18.0.0/15';
const routed: AddressRange = { network: () => `198.${18 + randomInt(2)}.${randomInt(256)}` };
const loopback: AddressRange = { network: () => `127.${64 + randomInt(64)}.${randomInt(256)}` };

const attempts = 50;

/** Addresses of one node: its own is `.1` of a network that no other node of the machine has. */
export class NodeAddresses {
  readonly #network: string;
  readonly #taken = new Map<string, number>();
  #last = 1;

  constructor(network: string) {
    this.#network = network;
  }

  /** The node's own. */
  get node(): string {
    return `${this.#network}.1`;
  }

  /** The address of an owner, the same until it is released. One that was just freed comes last. */
  of(owner: string): string {
    const known = this.#taken.get(owner);
    if (known !== undefined) return `${this.#network}.${known}`;
    const used = new Set(this.#taken.values());
    for (let step = 1; step < 254; step++) {
      const candidate = 2 + ((this.#last - 2 + step) % 253);
      if (used.has(candidate)) continue;
      this.#last = candidate;
      this.#taken.set(owner, candidate);
      return `${this.#network}.${candidate}`;
    }
    throw new KubeError('Config', `all 253 addresses of ${this.#network}.0/24 are taken`, {
      hint: 'Start another node, or delete pods of this one.',
    });
  }

  isOwn(address: string): boolean {
    return address.startsWith(`${this.#network}.`);
  }

  release(owner: string): void {
    this.#taken.delete(owner);
  }
}

/**
 * Finds a network for a node. `claim` listens at its address, which keeps it from every other node of this machine for as long as
 * this process lives, however it ends. EADDRINUSE means: another one.
 */
export async function claimAddresses(log: Logger, claim: (address: string) => Promise<void>): Promise<NodeAddresses> {
  const range = (await isRouted(log)) ? routed : loopback;
  for (let attempt = 1; ; attempt++) {
    const addresses = new NodeAddresses(range.network());
    try {
      await claim(addresses.node);
      return addresses;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || attempt === attempts) throw error;
    }
  }
}

/**
 * Whether addresses outside of 127.0.0.0/8 are local. The API server refuses endpoints on loopback, so that Services, and webhooks
 * behind them, work only with others; to have them takes one route, and root to add it. It stays: other nodes may use it.
 */
async function isRouted(log: Logger): Promise<boolean> {
  // No pod has this one, which would have a route of its own.
  const probe = `${routed.network()}.255`;
  if (await canListen(probe)) return true;
  try {
    await execute('ip', ['route', 'replace', 'local', testRange, 'dev', 'lo'], { timeout: 5000 });
  } catch (error) {
    log.warn(
      'pods get addresses of 127.0.0.0/8: Services have no endpoints, as the API server refuses such addresses',
      {
        error,
        fix: `as root: ip route add local ${testRange} dev lo`,
      },
    );
    return false;
  }
  return canListen(probe);
}

const canListen = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(0, address, () => server.close(() => resolve(true)));
  });
