import type { GrpcBootstrap } from '@flotilla/install';
import type { ClusterAccess, KubeClient } from '@flotilla/kube';
import type { CliContext } from '../context.ts';
import type { EarlierReach } from '../hub-access/earlier-reach.ts';
import type { RequiredDiscovery } from './hub-trust.ts';
import type { Preflight } from './preflight-report.ts';

/** How a cluster reaches the hub that it joins. */
export interface HubReach {
  /** Shown to the user. */
  readonly address: string;
  /** What the bootstrap Secret gets. */
  readonly bootstrap: { readonly hub?: ClusterAccess; readonly grpc?: GrpcBootstrap };
  /** The hub as a new cluster may see it. */
  connect(): Promise<{ readonly client: KubeClient } & AsyncDisposable>;
}

/** The flags of `join` that say where the hub is and how it is verified. */
export interface ReachOptions {
  readonly clusterName: string;
  readonly hubApiserver?: string;
  readonly hubCaHash?: readonly string[];
  readonly hubCaData?: string;
  readonly caFile?: string;
  readonly forceInternalEndpointLookup?: boolean;
  readonly proxyUrl?: string;
  readonly proxyCaFile?: string;
  readonly grpcServer?: string;
  readonly grpcCaFile?: string;
  readonly grpcCaHash?: readonly string[];
  /** Of `register`. */
  readonly discovery?: RequiredDiscovery;
}

/** What is known when the hub is to be reached. */
export interface ReachInput {
  readonly context: CliContext;
  readonly options: ReachOptions;
  /** Of the hub, as the flags name it. */
  readonly address: string;
  readonly token: string;
  readonly check: Preflight;
  /** As an earlier `join` has set it. */
  readonly earlier?: EarlierReach | undefined;
}
