import type { KubeClient } from '@flotilla/kube';
import type { KeyPair } from '@flotilla/kube/pki';
import type { KubeObject } from '@flotilla/schema';
import type { Identity } from '../access/identity.ts';
import type { BootstrapTokenOptions, ServiceAccountTokenOptions, TokenIdentity } from '../access/tokens.ts';
import type { UserOptions } from '../access/users.ts';
import type { Webhook, WebhookOptions } from '../admission/webhook.ts';
import type { WebhookRegistration } from '../admission/webhook-configuration.ts';
import type { ServingRotation, ServingRotationOptions } from '../faults/rotation.ts';
import type { Component } from '../processes/component.ts';
import type { AuditEvent } from './audit.ts';
import type { KubectlOptions, KubectlResult } from './kubectl.ts';

/** A running control plane. `kubeconfig`, `kubeconfigPath` and `access` are the administrator's (group system:masters). */
export interface Cluster extends Identity, AsyncDisposable {
  /** The kit's client with the administrator's credentials, closed with the cluster. */
  readonly client: KubeClient;
  /** `https://127.0.0.1:port` */
  readonly server: string;
  /** PEM bundle that the server's certificate is verified with; grows by a CA rotation. */
  readonly ca: string;
  /** Private directory with data, certificates, kubeconfigs and, by default, logs. */
  readonly directory: string;

  readonly etcd: Component;
  readonly apiServer: Component;
  /** Stopped if the cluster was started without. */
  readonly controllerManager: Component;

  /** Creates a user with a client certificate. */
  createUser(options: UserOptions): Promise<Identity>;
  /** Creates a user with a token of the ServiceAccount `namespace/name`, which is created if it does not exist. */
  createServiceAccountToken(account: string, options?: ServiceAccountTokenOptions): Promise<TokenIdentity>;
  /** Creates a user with a bootstrap token. */
  createBootstrapToken(options?: BootstrapTokenOptions): Promise<TokenIdentity>;

  /** Applies CRDs and resolves when all their versions are served. */
  installCrds(crds: readonly KubeObject[]): Promise<void>;
  /** Runs kubectl as administrator, or as another user by `kubeconfigPath`. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
  /** The requests so far; needs `audit: true`. */
  auditEvents(): Promise<AuditEvent[]>;

  /** Serves a webhook on loopback and registers it; resolves when the API server calls it. */
  startWebhook(options: WebhookOptions): Promise<Webhook>;
  /** Registers a webhook that the test serves itself, by `issueServingCertificate`; takes effect a little later. */
  registerWebhook(registration: WebhookRegistration): Promise<AsyncDisposable>;
  /** A certificate for a server on loopback, with the CA that clients verify it by. */
  issueServingCertificate(options?: { hosts?: readonly string[] }): Promise<KeyPair & { ca: string }>;

  /** Changes the API server's certificate while it runs, and resolves when new connections see it. */
  rotateServingCertificate(options?: ServingRotationOptions): Promise<ServingRotation>;
  /** Drops etcd's history. The API server may still answer from its watch cache: see `expireResourceVersions`. */
  compactEtcd(): Promise<number>;
  /** Compacts etcd and restarts the API server, so that each resource version handed out before gets 410. */
  expireResourceVersions(): Promise<number>;

  /** Ends all processes and removes the directory; the same as leaving the scope of `await using`. */
  stop(): Promise<void>;
}
