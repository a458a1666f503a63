import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { Images } from './contracts/image.ts';
import type { PodPermissions } from './contracts/pod-permissions.ts';

/** How a node is started. */
export interface ProcessNodeOptions {
  /** Reads and writes as the node: nodes, leases, pods, what pods mount, tokens, certificate signing requests. Stays the caller's. */
  readonly client: KubeClient;
  /** The URL of the API server, which pods get as KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. */
  readonly server: string;
  /** The name of the Node. Default: `process-node`. */
  readonly name?: string;
  /** What it can run. */
  readonly images: Images;
  /** What pods may do although they can run other programs with it. Default: nothing. */
  readonly allow?: PodPermissions;
  /** Where volumes and logs of pods are kept; made if it is not there, mode 0700. */
  readonly directory: string;
  /** Labels of the Node besides those that every node has. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Binds pods that have no node, where no scheduler runs. Default true. */
  readonly schedule?: boolean;
  /** Gives Services of the type LoadBalancer an address on this machine, and forwards it to their pods. Default true. */
  readonly loadBalancers?: boolean;
  /**
   * How a container sees its mounts. `namespace`: in a mount namespace of its own (Linux, root). `rewrite`: paths in arguments and
   * variables are replaced. Default: `namespace` where it works.
   */
  readonly mounts?: 'namespace' | 'rewrite';
  /**
   * Which network pods are in. `machine`: that of this machine, where each has an address to listen at. `namespace`: one of their own
   * (Linux, root, iproute2), in which a program may listen everywhere. Pods with `hostNetwork` are in that of the machine.
   * Default: `machine`.
   */
  readonly network?: 'machine' | 'namespace';
  /**
   * URLs of servers at 127.0.0.0/8 of this machine that pods with a network of their own reach as if it was the machine's: the API
   * server of another cluster, for example. `server` is one in any case.
   */
  readonly servers?: readonly string[];
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Ends the node, as `close()` does. */
  readonly signal?: AbortSignal;
}

/** A running node. */
export interface ProcessNode extends AsyncDisposable {
  readonly name: string;
  /** The address of the node: `status.addresses`, `hostIP` of its pods. */
  readonly address: string;
  /** How containers see their mounts here. */
  readonly mounts: 'namespace' | 'rewrite';
  /** Which network pods are in here. */
  readonly network: 'machine' | 'namespace';
  /** Rejects if the node cannot go on. */
  readonly finished: Promise<void>;
  /** Ends all containers (SIGTERM, then SIGKILL after their grace period), reports the Node as not ready, frees its addresses. */
  close(): Promise<void>;
}
