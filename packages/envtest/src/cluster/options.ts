import type { Clock } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { EnsureBinariesOptions } from '../binaries/ensure-binaries.ts';
import type { Flags } from './flags.ts';

/** All are optional; the default is a complete, private, short-lived control plane. */
export interface StartClusterOptions {
  /** CustomResourceDefinitions to install and wait for. */
  crds?: readonly KubeObject[];
  /** Without it no CSR is signed, no namespace is emptied and nothing is garbage-collected, but it starts sooner. Default true. */
  controllerManager?: boolean;
  /** Runs the controllers of Deployments, Jobs and the like, and those of endpoints: for a cluster with a process node. Default false. */
  workloads?: boolean;
  /** Lifetime of the certificates that the cluster signs for CSRs, as a Go duration such as `30s`. Default `8760h`. */
  signingDuration?: string;
  /** Writes one line per request to the audit log; read them with `auditEvents()`. Default false. */
  audit?: boolean;
  /** Port of the API server on 127.0.0.1. Default: a free one. */
  port?: number;
  /** Replace or add flags of etcd. */
  etcdFlags?: Flags;
  /** Replace or add flags of kube-apiserver; `undefined` takes a default away. */
  apiServerFlags?: Flags;
  /** Replace or add flags of kube-controller-manager. */
  controllerManagerFlags?: Flags;
  /** Keeps data and certificates here across starts instead of in a temporary directory. */
  dataDirectory?: string;
  /**
   * Starts with the roles, APIs and CRDs that an earlier start of the same kind stored: a third less processor time.
   * Certificates, keys, namespaces and all uids are this cluster's own. Default true.
   */
  snapshot?: boolean;
  /** Keeps the logs of the components here instead of in the cluster's directory. */
  logsDirectory?: string;
  /** How long each component may take until it is ready. Default 60 s: a loaded CI machine is slow. */
  startTimeoutMs?: number;
  /** Where the binaries come from. Default: KUBEBUILDER_ASSETS, the cache, then a build. */
  binaries?: EnsureBinariesOptions;
  clock?: Clock;
}
