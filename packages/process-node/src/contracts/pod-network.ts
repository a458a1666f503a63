/** A server that only this machine reaches, by an address of 127.0.0.0/8. */
export interface LoopbackServer {
  readonly address: string;
  readonly port: number;
}

/** What the networks of all pods of a node have in common. */
export interface NetworkBase {
  /** The node's own address, to which pods send all that leaves them. */
  readonly gateway: string;
  /** What pods reach on the machine's loopback. */
  readonly servers: readonly LoopbackServer[];
}
