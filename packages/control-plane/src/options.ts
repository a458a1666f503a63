import type { Clock, ClusterAccess, KubeClient, Logger } from '@flotilla/kube';
import type { KubeconfigNames } from '@flotilla/kube/kubeconfig';
import type { KubeObject } from '@flotilla/schema';
import type { AuthenticateToken, UserInfo } from './contracts/user-info.ts';
import type { ServiceResolver } from './contracts/webhook-caller.ts';
import type { SimulatorOptions } from './simulator/index.ts';

/** How a control plane is started. Without any of these: in memory, on a free port of 127.0.0.1. */
export interface ControlPlaneOptions {
  /** Keeps objects (one SQLite file) and keys here. Default: in memory, gone with the process. */
  readonly dataDirectory?: string;
  /** `power` waits for the disk at each write; see `openSqliteJournal`. */
  readonly durability?: 'process' | 'power';
  /** Default 127.0.0.1: only this machine can connect. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Other names and addresses that the serving certificate shall be good for. */
  readonly hosts?: readonly string[];
  /** `false` leaves out the HTTPS server: only `client` works. For many control planes in one test process. */
  readonly listen?: boolean;
  /** Where to write the administrator's kubeconfig, mode 0600. Default: in the data directory, or nowhere. */
  readonly kubeconfigPath?: string;
  /** What the cluster, user and context are called in it. Default: `flotilla`, `kubernetes-admin` and `flotilla`. */
  readonly kubeconfigNames?: KubeconfigNames;
  /** Custom resource definitions to install before the start resolves. */
  readonly crds?: readonly KubeObject[];
  /** Pretends to run workloads: pods become ready, jobs complete, nodes report capacity. Default: off. */
  readonly simulator?: boolean | Pick<SimulatorOptions, 'nodes' | 'latency'>;
  /**
   * Runs the controllers of Deployments, Jobs, other workloads and endpoints, for a node that runs their pods. Webhooks that name a
   * Service are then reached by its endpoints. Default: off. Not with the simulator, which has its own.
   */
  readonly workloads?: boolean;
  /** Where admission webhooks listen that name a Service, as there is no cluster network. Default: by endpoints with `workloads`, otherwise they are unreachable. */
  readonly resolveService?: ServiceResolver;
  /** No certificate that it signs lives longer. Default: a year. */
  readonly maxCertificateLifeMs?: number;
  /** Tokens that are good as long as it runs, and whose they are: for tests. */
  readonly staticTokens?: Readonly<Record<string, UserInfo>>;
  /** Says whose a bearer token is that the server does not know, as the token webhook of a kube-apiserver does. Without a user, the request gets 401. */
  readonly authenticateToken?: AuthenticateToken;
  readonly clock?: Clock;
  readonly log?: Logger;
}

/** A running control plane. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:port`; empty if it does not listen. */
  readonly server: string;
  /** PEM of the CA that its clients trust. */
  readonly ca: string;
  /** The administrator's access, as of now: its certificate is renewed while the control plane runs. */
  readonly access: ClusterAccess;
  /** The administrator's kubeconfig, YAML, as of now. */
  readonly kubeconfig: string;
  /** Where that is on disk, if it was written; written again when its certificate is renewed. */
  readonly kubeconfigPath?: string;
  /** A client of the administrator that needs no socket. */
  readonly client: KubeClient;
  /** A client of another user that needs no socket: for tests of permissions. */
  clientOf(user: UserInfo): KubeClient;
  /** Ends watches and controllers, closes the socket and the data file. */
  stop(): Promise<void>;
}
