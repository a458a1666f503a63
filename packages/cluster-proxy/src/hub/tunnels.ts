import type { Duplex } from 'node:stream';
import type { Clock, Logger } from '@flotilla/kube';
import { type Observable, Subject } from 'rxjs';
import type { Member } from '../member/member.ts';
import { openTunnel, type Tunnel } from '../tunnel/tunnel-client.ts';

interface OpenTunnel extends Tunnel {
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The tunnels that agents have opened to this replica: at most one for each cluster, the newest. */
export class Tunnels {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #byCluster = new Map<string, OpenTunnel>();
  /** By their clusters. Beside those: what was replaced or retired, until its last request has ended. */
  readonly #all = new Map<Tunnel, string>();
  readonly #changes = new Subject<string>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Emits the cluster whose tunnel was opened, replaced or lost. */
  get changes(): Observable<string> {
    return this.#changes.asObservable();
  }

  /** Uses a connection that the agent of a cluster has opened. The one before ends with its last request. */
  add(cluster: string, socket: Duplex): void {
    const opened = openTunnel(socket, { cluster, clock: this.#clock, log: this.#log });
    const tunnel: OpenTunnel = { ...opened, since: this.#clock.now() };
    const previous = this.#byCluster.get(cluster);
    this.#byCluster.set(cluster, tunnel);
    this.#all.set(tunnel, cluster);
    previous?.retire();
    this.#log.info('a cluster can be reached', { cluster });
    this.#changes.next(cluster);
    void tunnel.closed.then(() => {
      this.#all.delete(tunnel);
      if (this.#byCluster.get(cluster) !== tunnel) return;
      this.#byCluster.delete(cluster);
      this.#log.info('a cluster cannot be reached any more', { cluster });
      this.#changes.next(cluster);
    });
  }

  find(cluster: string): Member | undefined {
    return this.#byCluster.get(cluster)?.member;
  }

  /** Since when there is a tunnel. */
  since(cluster: string): number | undefined {
    return this.#byCluster.get(cluster)?.since;
  }

  /** The agent has gone to another replica: requests under way still end here. */
  retire(cluster: string): void {
    const tunnel = this.#byCluster.get(cluster);
    this.#byCluster.delete(cluster);
    tunnel?.retire();
  }

  /** The cluster is not accepted any more. */
  destroy(cluster: string): void {
    for (const [tunnel, owner] of this.#all) if (owner === cluster) tunnel.destroy();
  }

  close(): void {
    for (const tunnel of this.#all.keys()) tunnel.destroy();
    this.#changes.complete();
  }
}
