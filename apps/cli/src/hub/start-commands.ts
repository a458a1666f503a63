import { NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { isLoopback } from '@flotilla/kube/transport';
import { formatFeatureGates } from '../options/feature-gates.ts';
import { hostAndPort } from './grpc-server.ts';

/** How the programs of the hub are to be started. */
export interface HubStart {
  readonly hubProgram: string;
  /** Which cluster it runs on, see `clusterFlags`. */
  readonly clusterFlags: readonly string[];
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Further flags of the controllers, without their dashes. */
  readonly flags: Readonly<Record<string, string>>;
  /** Where the API server asks the webhooks, if they run outside of the cluster. */
  readonly webhookUrl?: string;
  /** Where clusters reach the gRPC server, if there is to be one. */
  readonly grpcServer?: string;
}

/** The commands that start the hub on this machine with the same kubeconfig, ready to be pasted. */
export function hubStartCommands(start: HubStart): string[] {
  const { hubProgram, clusterFlags, featureGates, flags, webhookUrl, grpcServer } = start;
  const gates = formatFeatureGates(featureGates);
  const common = [
    ...clusterFlags,
    '--namespace',
    NamespaceName.Hub,
    ...(gates === '' ? [] : ['--feature-gates', gates]),
  ];
  const more = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, quoted(value)]);
  return [
    [hubProgram, 'controller', ...common, ...more].join(' '),
    ...(webhookUrl === undefined
      ? []
      : [[hubProgram, 'webhook-server', ...common, ...webhookFlags(webhookUrl)].join(' ')]),
    ...(grpcServer === undefined
      ? []
      : [[hubProgram, 'grpc-server', ...clusterFlags, ...grpcFlags(grpcServer)].join(' ')]),
  ];
}

/** A word that a shell takes as it is. */
const quoted = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;

/** It runs as its own account, whose requests the controllers believe, and with no more rights than that has. */
function grpcFlags(grpcServer: string): string[] {
  const { host, port } = hostAndPort(grpcServer);
  return [
    ...['--namespace', NamespaceName.Hub],
    ...['--service-account', `${NamespaceName.Hub}/${ServiceAccountName.GrpcServer}`],
    ...['--bind-address', isLoopback(host) ? '127.0.0.1' : '0.0.0.0'],
    ...['--grpc-server-bindport', port],
    // The controllers have the default one.
    ...['--listen', '127.0.0.1:0'],
  ];
}

/** It listens where it is asked, with a certificate for that name. */
function webhookFlags(webhookUrl: string): string[] {
  const { hostname, port } = new URL(webhookUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  return [
    ...['--bind-address', isLoopback(host) ? host : '0.0.0.0'],
    ...['--port', port || '443'],
    ...['--serving-hosts', host],
    ...['--metrics-port', '0', '--health-probe-port', '0'],
  ];
}
