import type { Observable } from 'rxjs';

/** Whom requests act for, by the Impersonate headers. */
export interface Impersonation {
  user: string;
  uid?: string;
  groups?: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** A snapshot of all that is needed to reach an API server. Never logged: it holds secrets. */
export interface ClusterAccess {
  /** `https://host:port/optional/prefix` */
  server: string;
  /** PEM bundle; without it the system's roots are trusted. */
  ca?: string;
  tlsServerName?: string;
  insecureSkipTlsVerify?: boolean;
  /** From the kubeconfig's `proxy-url`; without it HTTPS_PROXY, HTTP_PROXY and NO_PROXY decide. */
  proxyUrl?: string;
  /** PEM bundle for a proxy that is reached by https. It is trusted beside `ca` and the system's roots. */
  proxyCa?: string;
  /** Sent to an HTTP or HTTPS proxy with CONNECT, and never to the server. Kubeconfigs have no field for them. */
  proxyHeaders?: Readonly<Record<string, string>>;
  /** PEM. */
  clientCertificate?: { certificate: string; key: string };
  /** Value for the Authorization header, for example `Bearer …`. */
  authorization?: string;
  impersonate?: Impersonation;
  /** When the credentials end, milliseconds since the epoch, if they say so: ask the source again from then on. */
  expiresAt?: number;
  /** What the kubeconfig calls the cluster, if it came from one. */
  clusterName?: string;
  /** Where it came from, for errors: a file and context, a Secret, "in-cluster". */
  origin: string;
}

/** Where access comes from and how it changes. */
export interface AccessSource {
  /** The newest good access. A broken file after a good one keeps the good one and reports through `errors`. */
  current(): Promise<ClusterAccess>;
  /** Emits when `current()` would now answer differently. */
  readonly changes: Observable<void>;
  /** What went wrong on reload, for conditions and logs; the last good access stays in use. */
  readonly errors: Observable<Error>;
  /** Called after the server answered 401: drop what is cached (exec plugin, token file) and read again. */
  invalidate(): void;
  close(): void;
}
