/** A flag that means something to one auth type only. Plain data: help is printed without loading a driver. */
export interface DriverFlag {
  /** Such as `--hub-cluster-arn`. */
  readonly name: string;
  /** What the help calls its value. */
  readonly value: string;
  readonly description: string;
  /** It takes `a,b`, once or several times. */
  readonly isList?: boolean;
}

/** The flags of one auth type. */
export interface DriverFlags {
  /** Of `init`, for hubs with this auth type in `--registration-drivers`. */
  readonly init: readonly DriverFlag[];
  /** Of `join`, for agents with this `--registration-auth`. */
  readonly join: readonly DriverFlag[];
}

const hubClusterArn = (description: string): DriverFlag => ({ name: '--hub-cluster-arn', value: 'arn', description });

/** The auth types that the command line knows, in the order in which help lists them; the first is the default. */
export const driverFlags = {
  csr: {
    init: [
      {
        name: '--auto-approved-csr-identities',
        value: 'users',
        description: 'csr: users whose clusters need no administrator',
        isList: true,
      },
    ],
    join: [],
  },
  awsirsa: {
    init: [
      hubClusterArn(
        'awsirsa: ARN of this EKS cluster; default: the name of the cluster in the kubeconfig, if it is one',
      ),
      {
        name: '--auto-approved-arn-patterns',
        value: 'patterns',
        description: 'awsirsa: regular expressions (RE2) of ARNs whose clusters need no administrator',
        isList: true,
      },
      {
        name: '--aws-resource-tags',
        value: 'key=value',
        description: 'awsirsa: tags of the IAM roles and EKS access entries that the hub creates',
        isList: true,
      },
    ],
    join: [
      hubClusterArn('awsirsa: ARN of the EKS cluster that is the hub'),
      {
        name: '--managed-cluster-arn',
        value: 'arn',
        description:
          'awsirsa: ARN of this EKS cluster; default: the name of the cluster in the kubeconfig, if it is one',
      },
    ],
  },
  grpc: {
    init: [
      {
        name: '--grpc-server',
        value: 'host:port',
        description: 'grpc: where clusters reach the gRPC server of this hub',
      },
      {
        name: '--grpc-endpoint-type',
        value: 'type',
        description: 'grpc: what that address is, hostname (default) or loadBalancer',
      },
      {
        name: '--auto-approved-grpc-identities',
        value: 'users',
        description: 'grpc: users whose clusters need no administrator',
        isList: true,
      },
    ],
    join: [
      { name: '--grpc-server', value: 'host:port', description: 'grpc: address of the gRPC server of the hub' },
      { name: '--grpc-ca-file', value: 'file', description: 'grpc: CA of the gRPC server as PEM' },
      {
        name: '--grpc-ca-hash',
        value: 'hash',
        description: 'grpc: verifies the CA of the gRPC server (sha256:…); may be repeated',
        isList: true,
      },
    ],
  },
} as const satisfies Readonly<Record<string, DriverFlags>>;

/** The name of an auth type that the command line knows. */
export type AuthType = keyof typeof driverFlags;

/** All of them. */
export const authTypes = Object.keys(driverFlags) as readonly AuthType[];

/** The flags of a command by auth type. */
export const flagsOf = (authType: AuthType, command: keyof DriverFlags): readonly DriverFlag[] =>
  driverFlags[authType][command];
