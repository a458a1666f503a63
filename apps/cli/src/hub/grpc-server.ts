import {
  type ClusterManager,
  ConfigMapName,
  clusterManagers,
  DataKey,
  NamespaceName,
  ObjectName,
  RegistrationDriverName,
  SecretName,
  ServiceName,
} from '@flotilla/api-types';
import { isAbsence, type KubeClient } from '@flotilla/kube';
import { configMaps, secrets, services } from '@flotilla/kube/kinds';
import type { InitDriverOptions } from '../drivers/registration-driver.ts';
import { CliError } from '../errors/cli-error.ts';
import { pinsOf } from '../hub-access/ca-pin.ts';

/** Where clusters reach the gRPC server. */
export interface GrpcServer {
  /** `host:port`; absent if a load balancer of the cloud is to give it. */
  readonly host?: string;
  readonly type: 'hostname' | 'loadBalancer';
}

/** Of the server, and of the Service of a load balancer. */
const defaultPorts = { hostname: '8090', loadBalancer: '443' } as const;

/** What the server is to be, besides the flags. */
interface GrpcSituation {
  /** The operator makes a Service, which may get an address. */
  readonly runsPods: boolean;
  /** Where the server of an earlier `init` is; it stays without flags about it. */
  readonly earlier: GrpcServer | undefined;
}

/** What `init` is asked for; undefined without the driver grpc. */
export function grpcServerOf(
  drivers: readonly { readonly authType: string }[],
  { grpcServer, grpcEndpointType }: InitDriverOptions,
  { runsPods, earlier }: GrpcSituation,
): GrpcServer | undefined {
  const type = grpcEndpointType ?? (grpcServer === undefined ? undefined : earlier?.type) ?? 'hostname';
  if (!drivers.some(({ authType }) => authType === RegistrationDriverName.Grpc)) return undefined;
  if (earlier && grpcServer === undefined && grpcEndpointType === undefined) return earlier;
  if (type !== 'hostname' && type !== 'loadBalancer') {
    throw new CliError('usage', `unknown grpc endpoint type ${type}`, 'It should be hostname or loadBalancer.');
  }
  if (!grpcServer && type === 'loadBalancer' && runsPods) return { type };
  if (!grpcServer) {
    throw new CliError(
      'usage',
      `grpc server should not be empty if the grpc endpoint type is ${type}`,
      'Give the address by which clusters reach the gRPC server of this hub: --grpc-server HOST:PORT.',
    );
  }
  const url = grpcServer.includes('://') ? undefined : URL.parse(`grpc://${grpcServer}`);
  if (!url?.hostname || url.pathname.length > 1) {
    throw new CliError('usage', `--grpc-server ${grpcServer} is not host:port`, 'Leave out https:// and any path.');
  }
  return { type, host: `${url.hostname}:${url.port || defaultPorts[type]}` };
}

/** The host and the port of an address. */
export function hostAndPort(address: string): { host: string; port: string } {
  const { hostname, port } = new URL(`grpc://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port || defaultPorts.hostname };
}

/** How a joining cluster reaches and verifies the gRPC server. */
export interface GrpcJoinInfo {
  readonly server: string;
  /** PEM; absent as long as there are no certificates. */
  readonly ca?: string;
  readonly hashes: readonly string[];
}

/** What a hub says about its gRPC server; undefined if it has none. */
export async function readGrpcServer(client: KubeClient): Promise<GrpcJoinInfo | undefined> {
  const server = await exposedAddress(client, await findClusterManager(client));
  if (!server) return undefined;
  const inHub = (name: string) => `${NamespaceName.Hub}/${name}`;
  const serving = await client.resource(secrets).find(inHub(SecretName.GrpcServerServingCert));
  // A certificate of the user comes with an authority of its own, as those of cert-manager do.
  const own = Buffer.from(serving?.data?.[DataKey.RootCa] ?? '', 'base64').toString('utf8');
  const bundle = (await client.resource(configMaps).find(inHub(ConfigMapName.CaBundle)))?.data?.[DataKey.CaBundle];
  const ca = serving && (own || bundle);
  return { server, hashes: ca ? pinsOf(ca) : [], ...(ca && { ca }) };
}

async function findClusterManager(client: KubeClient): Promise<ClusterManager | undefined> {
  try {
    return await client.resource(clusterManagers).find(ObjectName.ClusterManager);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

async function exposedAddress(
  client: KubeClient,
  clusterManager: ClusterManager | undefined,
): Promise<string | undefined> {
  const { registrationConfiguration, serverConfiguration } = clusterManager?.spec ?? {};
  const drivers = registrationConfiguration?.registrationDrivers ?? [];
  if (!drivers.some(({ authType }) => authType === RegistrationDriverName.Grpc)) return undefined;
  const endpoint = serverConfiguration?.endpointsExposure?.find(({ protocol }) => protocol !== 'https')?.grpc;
  const isBalanced = endpoint?.type === 'loadBalancer';
  const given = isBalanced ? endpoint.loadBalancer?.host : endpoint?.hostname?.host;
  const host = given || (isBalanced ? await balancedHost(client) : undefined);
  if (!host) return undefined;
  return /:\d+$/.test(host) ? host : `${host}:${defaultPorts[isBalanced ? 'loadBalancer' : 'hostname']}`;
}

/** The address that the cloud gave to the Service of the server; undefined as long as it gave none. */
async function balancedHost(client: KubeClient): Promise<string | undefined> {
  const name = ServiceName.GrpcServer.of({ clusterManager: ObjectName.ClusterManager });
  const service = await client.resource(services).find(`${NamespaceName.Hub}/${name}`);
  const [first] = service?.status?.loadBalancer?.ingress ?? [];
  if (first?.hostname) return first.hostname;
  return first?.ip?.includes(':') ? `[${first.ip}]` : first?.ip;
}
