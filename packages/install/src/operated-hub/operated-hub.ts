import type { ClusterManagerSpec } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';

type PodSpec = NonNullable<NonNullable<Deployment['spec']>['template']['spec']>;

/** Where the hub reaches a server that runs on another cluster. */
export interface ExternalAddress {
  readonly address: string;
  readonly port: number;
}

/** Where one webhook server listens. */
export interface OperatedWebhook {
  readonly port: number;
  /** 0 for none. */
  readonly healthProbePort: number;
  /** 0 for none. */
  readonly metricsPort: number;
  readonly hostNetwork: boolean;
  /** Where the hub reaches it, if it runs on another cluster. */
  readonly external?: ExternalAddress;
}

/** The servers of webhooks: OCM has a program for each. */
export const webhookServers = ['registration', 'work', 'addon'] as const;
/** A server of webhooks. */
export type WebhookServerName = (typeof webhookServers)[number];

/** The programs that images are named for; `own` is of those that OCM does not have. */
export type HubImage = 'registration' | 'work' | 'placement' | 'addonManager' | 'server' | 'own';

/** A hub as a ClusterManager describes it, with every default filled in: what its objects are rendered from. */
export interface OperatedHub {
  /** Of the ClusterManager. */
  readonly name: string;
  /** Of the hub's programs. */
  readonly namespace: string;
  /** Its programs run on another cluster than its objects. */
  readonly hosted: boolean;
  readonly images: Readonly<Record<HubImage, string>>;
  readonly imagePullSecret?: string;
  readonly replicas: number;
  /** Undefined: what each program uses when it has little to do, without a limit. */
  readonly resources?: PodSpec['containers'][number]['resources'];
  readonly nodePlacement: NonNullable<ClusterManagerSpec['nodePlacement']>;
  /** `--tls-min-version` and so on, for every program. */
  readonly tlsFlags: readonly string[];
  /** `--feature-gates` of each program. */
  readonly gateFlags: Readonly<Record<'registration' | 'work' | 'placement' | 'addon', readonly string[]>>;
  /** Parts that not every hub has. */
  readonly features: {
    readonly workController: boolean;
    readonly addonManager: boolean;
    readonly placementDebug: boolean;
    readonly clusterProfile: boolean;
    readonly clusterImporter: boolean;
    /** The agents of clusters that the hub reaches itself. */
    readonly pushAgents: boolean;
  };
  /** The API by which users reach clusters, if there is to be one. */
  readonly clusterProxy?: { readonly external?: ExternalAddress };
  /** The auth types by which clusters may register. */
  readonly authTypes: readonly string[];
  /** Flags of the registration controller besides those above. */
  readonly registrationFlags: readonly string[];
  /** Those that the programs of OCM do not have. */
  readonly ownRegistrationFlags?: readonly string[];
  readonly registrationAccountAnnotations: Readonly<Record<string, string>>;
  /** Flags of the work controller, and whether it reads the Secret `work-driver-config`. */
  readonly workDriver: { readonly flags: readonly string[]; readonly hasConfig: boolean };
  /** The gRPC server, if clusters may come by it. */
  readonly grpc?: { readonly serviceType: 'ClusterIP' | 'LoadBalancer' };
  readonly webhooks: Readonly<Record<WebhookServerName, OperatedWebhook>>;
}

/** Whether the gRPC server is part of a hub. */
export const hasGrpc = ({ grpc }: OperatedHub): boolean => grpc !== undefined;

/** Names of OCM's images: they have other commands than ours. */
const ocmImages = /^(registration|work|placement|addon-manager|registration-operator)$/;

/** Whether an image is one of OCM's, by the last part of its repository. */
export const isOcmImage = (image: string): boolean =>
  ocmImages.test((image.split('/').at(-1) ?? '').replace(/[@:].*$/, ''));
