import { resolve } from 'node:path';
import { NamespaceName } from '@flotilla/api-types';
import type { ClusterChoice } from '../context.ts';

/** How the programs of the hub are to be started. */
export interface HubStart extends ClusterChoice {
  readonly hubProgram: string;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly autoApprovedCsrUsers: readonly string[];
  /** Where the API server asks the webhooks, if they run outside of the cluster. */
  readonly webhookUrl?: string;
}

/** The commands that start the hub on this machine with the same kubeconfig, ready to be pasted. */
export function hubStartCommands(start: HubStart): string[] {
  const { hubProgram, kubeconfig, context, featureGates, autoApprovedCsrUsers, webhookUrl } = start;
  const gates = Object.entries(featureGates).map(([name, on]) => `${name}=${on}`);
  const common = [
    ...(kubeconfig ? ['--kubeconfig', resolve(kubeconfig)] : []),
    ...(context ? ['--context', context] : []),
    '--namespace',
    NamespaceName.Hub,
    ...(gates.length > 0 ? ['--feature-gates', gates.join(',')] : []),
  ];
  const users = autoApprovedCsrUsers.length > 0 ? ['--auto-approved-csr-users', autoApprovedCsrUsers.join(',')] : [];
  return [
    [hubProgram, 'controller', ...common, ...users].join(' '),
    ...(webhookUrl === undefined
      ? []
      : [[hubProgram, 'webhook-server', ...common, ...webhookFlags(webhookUrl)].join(' ')]),
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

const isLoopback = (host: string): boolean => host === '::1' || host.startsWith('127.');
