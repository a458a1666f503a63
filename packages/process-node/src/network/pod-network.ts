import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@flotilla/kube';
import type { NetworkBase } from '../contracts/pod-network.ts';
import type { Watchdog } from '../processes/watchdog.ts';

/** What a network is started by. */
export interface PodNetworkHost {
  readonly watchdog: Watchdog;
  readonly clock: Clock;
}

/**
 * Runs in a network namespace that is new, and holds it until its standard input closes. The pair of devices goes with the namespace,
 * and the machine's route with the device. Arguments: the script for the machine, device, process of
 * the node, address, gateway, (server address, port)…
 *
 * A connection to a loopback server of the machine leaves the pod by a rule that comes before the pod's own loopback. The kernel drops
 * packets of 127.0.0.0/8 on other devices unless these settings of both ends of the pair allow them.
 */
const inPod = `
set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
onMachine=$1 device=$2 node=$3 address=$4 gateway=$5; shift 5
settings=/proc/sys/net/ipv4/conf
ip link set lo up
ip link add eth0 type veth peer name "$device" netns "$node"
for one in all eth0; do echo 0 > "$settings/$one/rp_filter"; done
echo 1 > "$settings/eth0/route_localnet"
echo 1 > "$settings/eth0/accept_local"
ip address add "$address/32" dev eth0
ip link set eth0 up
ip route add "$gateway" dev eth0
ip route add default via "$gateway"
ip route add default via "$gateway" src "$address" table 100
ip rule add pref 100 lookup local
ip rule del pref 0
while [ $# -gt 0 ]; do ip rule add pref 10 to "$1" ipproto tcp dport "$2" lookup 100; shift 2; done
nsenter --net="/proc/$node/ns/net" -- /bin/sh -c "$onMachine" sh "$device" "$address" "$gateway"
echo ready
exec cat
`;

/** The route is in the table `local`: that is where the range of all pods is, which would be found first otherwise. */
const onMachine = `
set -e
echo 1 > "/proc/sys/net/ipv4/conf/$1/route_localnet"
echo 1 > "/proc/sys/net/ipv4/conf/$1/forwarding"
ip link set "$1" up
ip route replace "$2/32" dev "$1" src "$3" table local
`;

/** How the machine's end of the pair of a pod is called: by its address, and by chance, as the kernel removes the last one a little later. */
export const devicePrefix = (address: string): string =>
  `pod${Buffer.from(address.split('.').map(Number)).toString('hex')}`;

const startDeadlineMs = 10_000;

/** A network namespace that the containers of a pod share: its own loopback, ports and address. */
export class PodNetwork {
  readonly #holder: ChildProcessByStdio<Writable, Readable, Readable>;

  /** Throws if the machine does not give one. */
  static async start({ gateway, servers }: NetworkBase, address: string, host: PodNetworkHost): Promise<PodNetwork> {
    const device = `${devicePrefix(address)}${randomBytes(2).toString('hex')}`;
    const reached = servers.flatMap((server) => [server.address, String(server.port)]);
    const args = [onMachine, device, String(process.pid), address, gateway, ...reached];
    // A session of its own: what ends the node from a terminal must leave its pods the time to end.
    const holder = spawn('unshare', ['--net', '--', '/bin/sh', '-c', inPod, 'process-node-network', ...args], {
      cwd: '/',
      env: { PATH: process.env.PATH },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const network = new PodNetwork(holder, host);
    try {
      await network.#ready(host.clock);
      return network;
    } catch (error) {
      await network.close();
      throw error;
    }
  }

  private constructor(holder: ChildProcessByStdio<Writable, Readable, Readable>, { watchdog }: PodNetworkHost) {
    this.#holder = holder;
    // It may be over before it is told to end.
    holder.stdin.on('error', () => {});
    const { pid } = holder;
    if (pid === undefined) return;
    watchdog.watch(pid);
    holder.once('exit', () => watchdog.forget(pid));
  }

  /** Where other programs enter it. */
  get path(): string {
    return `/proc/${this.#holder.pid}/ns/net`;
  }

  /** Lets go of it; it is gone when the last process in it has ended. */
  async close(): Promise<void> {
    if (this.#holder.pid === undefined || this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const exited = once(this.#holder, 'exit');
    this.#holder.stdin.end();
    await exited;
  }

  async #ready(clock: Clock): Promise<void> {
    const { stdout, stderr } = this.#holder;
    let problem = '';
    stderr.on('data', (chunk: Buffer) => {
      problem += chunk.toString('utf8');
    });
    const failed = Promise.withResolvers<never>();
    const fail = (why: string) => failed.reject(new Error(`the pod gets no network of its own: ${why}`));
    // It ends later too, when nobody waits for it.
    failed.promise.catch(() => {});
    this.#holder.once('error', ({ message }) => fail(message));
    this.#holder.once('close', () => fail(problem.trim()));
    const cancel = clock.schedule(startDeadlineMs, () => {
      fail(`it was not ready within ${startDeadlineMs / 1000} s ${problem.trim()}`);
      this.#holder.kill('SIGKILL');
    });
    await Promise.race([once(stdout, 'data'), failed.promise]).finally(cancel);
  }
}
