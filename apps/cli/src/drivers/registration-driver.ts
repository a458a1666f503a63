import type { Klusterlet, RegistrationDriverAgent, RegistrationDriverHub } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import type { BoundDriver } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';

/** The values of flags of `init` that belong to one auth type each. */
export interface InitDriverOptions {
  readonly autoApprovedCsrIdentities?: readonly string[];
  readonly hubClusterArn?: string;
  readonly autoApprovedArnPatterns?: readonly string[];
  readonly awsResourceTags?: readonly string[];
  readonly autoApprovedGrpcIdentities?: readonly string[];
  readonly grpcServer?: string;
  readonly grpcEndpointType?: string;
}

/** The values of flags of `join` that belong to one auth type each. */
export interface JoinDriverOptions {
  readonly hubClusterArn?: string;
  readonly managedClusterArn?: string;
  readonly grpcServer?: string;
  readonly grpcCaFile?: string;
  readonly grpcCaHash?: readonly string[];
}

/** What an auth type asks of the program that uses it. */
export interface ProgramSettings {
  /** Flags of the program without their dashes, such as `hub-cluster-arn`. */
  readonly flags: Readonly<Record<string, string>>;
  /** Annotations of the service accounts that the program runs as. */
  readonly accountAnnotations?: Readonly<Record<string, string>>;
}

/** An auth type as `init` offers it. */
export interface HubSide {
  /**
   * Its entry in the ClusterManager. Throws for values that cannot work. `hub` is the cluster that becomes the hub, `earlier` the entry
   * that an earlier `init` wrote.
   */
  entry(
    options: InitDriverOptions,
    hub: ClusterAccess,
    earlier: RegistrationDriverHub | undefined,
  ): Promise<RegistrationDriverHub>;
  /** How the controllers of the hub run with such an entry. */
  settings(entry: RegistrationDriverHub): ProgramSettings;
  /** What a cluster that joins by it adds to its `join` command, as far as the hub knows it. */
  joinFlags(entry: RegistrationDriverHub): readonly string[];
}

/** An auth type as `join` offers it. */
export interface AgentSide {
  /**
   * Its part of the Klusterlet. Throws for values that cannot work. `managed` is the cluster that joins, `earlier` what an earlier `join`
   * with this auth type wrote.
   */
  entry(
    options: JoinDriverOptions,
    managed: ClusterAccess,
    earlier: RegistrationDriverAgent | undefined,
  ): Promise<RegistrationDriverAgent>;
  /** How the agent runs with such a part. */
  settings(entry: RegistrationDriverAgent): ProgramSettings;
  /** The hub that stored credentials lead to. */
  serverOf(stored: Readonly<Record<string, string>>): string | undefined;
  /** Whether what the agent stored, by key of its Secret, opens the hub without a token. */
  hasCredentials(stored: Readonly<Record<string, string>>, now: number): boolean;
  /** The driver as the Klusterlet configures it, for an agent in this process. */
  bind(registration: RegistrationConfiguration): BoundDriver;
}

type RegistrationConfiguration = NonNullable<NonNullable<Klusterlet['spec']>['registrationConfiguration']>;

/** An auth type as the command line offers it; its flags are in `driverFlags`. */
export interface RegistrationDriver {
  readonly driver: Driver;
  readonly init: HubSide;
  readonly join: AgentSide;
}
