import { clusterClaims, RegistrationDriverName } from '@flotilla/api-types';
import { applyObjects } from '@flotilla/install';
import { parseBootstrapToken } from '@flotilla/kube/bootstrap-token';
import { apiVersionOf, parseDuration } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { cliOwner } from '../cluster/owner.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { findEarlierJoin } from '../klusterlet/earlier-join.ts';
import { checkGrpcServer } from '../managed/grpc-address.ts';
import { type PreflightReport, reportValue } from '../managed/preflight-report.ts';
import type { JoinOptions } from '../operator/join-options.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { type ClusterPlace, claimsOf } from '../push/pushed-cluster.ts';
import { join } from './join.ts';

/** The flags of `register`: karmadactl's, and those of `join` that say how the agent runs. */
export interface RegisterOptions
  extends Pick<JoinOptions, 'singleton' | 'run' | 'wait' | 'timeout' | 'dryRun' | 'yes' | 'output' | 'createNamespace'>,
    ClusterPlace {
  /** Absent: as the cluster registered before, else csr. */
  readonly registrationAuth?: string;
  readonly token?: string;
  readonly discoveryTokenCaCertHash?: readonly string[];
  readonly discoveryTokenUnsafeSkipCaVerification?: boolean;
  readonly discoveryTimeout: string;
  readonly clusterName?: string;
  readonly certExpirationSeconds?: number;
  readonly proxyServerAddress?: string;
}

/**
 * Joins a cluster as karmadactl registers one: the hub proves itself by the token and by the hash of its CA. A gRPC server proves
 * itself by the hash alone.
 */
export async function register(
  context: CliContext,
  address: string,
  options: RegisterOptions & GlobalOptions,
): Promise<void> {
  const { token, pins, timeoutMs } = checkFlags(options);
  const clusterName = options.clusterName ?? (await nameInKubeconfig(context, options));
  const registrationAuth = options.registrationAuth ?? (await earlierAuth(context, clusterName, options));
  refuseUnsafeGrpc({ ...options, registrationAuth });
  const report: PreflightReport = { checks: [] };
  const { kubeconfig, context: contextName, certExpirationSeconds, proxyServerAddress } = options;
  const joinOptions: JoinOptions & GlobalOptions = {
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(contextName !== undefined && { context: contextName }),
    clusterName,
    hubToken: token,
    ...(options.registrationAuth !== undefined && { registrationAuth }),
    ...hubFlags(address, registrationAuth, pins),
    discovery: {
      serverFlag: address,
      pinFlag: '--discovery-token-ca-cert-hash',
      wait: {
        clock: context.clock,
        signal: context.signal,
        timeoutMs,
        onPending: (message) => void context.err.write(`${message}\n`),
      },
    },
    report,
    ...(certExpirationSeconds !== undefined && { clientCertExpirationSeconds: certExpirationSeconds }),
    ...(proxyServerAddress !== undefined && { proxyUrl: proxyServerAddress }),
    ...(options.singleton !== undefined && { singleton: options.singleton }),
    ...(options.run !== undefined && { run: options.run }),
    ...(options.wait !== undefined && { wait: options.wait }),
    ...(options.dryRun !== undefined && { dryRun: options.dryRun }),
    ...(options.yes !== undefined && { yes: options.yes }),
    createNamespace: options.createNamespace,
    timeout: options.timeout,
    output: options.output,
    onInstalled: () => applyClaims(context, options),
  };
  await joinWithReport(context, joinOptions, report);
}

/** Prints the checks for machines, if one fails and if nothing but they was asked for. */
async function joinWithReport(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  report: PreflightReport,
): Promise<void> {
  const { output, dryRun = false } = options;
  if (!isMachineFormat(output)) return await join(context, options);
  const print = () => void context.out.write(formatValue(reportValue(report), output));
  try {
    // In a dry run join prints manifests.
    await join(dryRun ? { ...context, out: { write() {} } } : context, options);
  } catch (error) {
    if (report.checks.some(({ status }) => status === 'failed')) print();
    throw error;
  }
  if (dryRun) print();
}

function checkFlags(options: RegisterOptions): { token: string; pins: readonly string[]; timeoutMs: number } {
  const { token = '', discoveryTokenCaCertHash: pins = [] } = options;
  const hint = hintFor(options);
  if (token === '') throw new CliError('usage', '--token is missing', hint);
  if (!parseBootstrapToken(token)) throw new CliError('usage', '--token is not a bootstrap token', hint);
  const isUnsafe = options.discoveryTokenUnsafeSkipCaVerification === true;
  if (pins.length === 0 && !isUnsafe) {
    const unsafe =
      'Or accept that whoever has this token can pose as the hub: --discovery-token-unsafe-skip-ca-verification.';
    throw new CliError('usage', '--discovery-token-ca-cert-hash is missing', `${hint} ${unsafe}`);
  }
  if (pins.length > 0 && isUnsafe) {
    const message =
      '--discovery-token-ca-cert-hash and --discovery-token-unsafe-skip-ca-verification exclude each other';
    throw new CliError('usage', message, 'Leave the second out.');
  }
  return { token, pins, timeoutMs: parseDuration(options.discoveryTimeout) };
}

function refuseUnsafeGrpc(options: RegisterOptions): void {
  const { registrationAuth, discoveryTokenUnsafeSkipCaVerification: isUnsafe } = options;
  if (!isUnsafe || registrationAuth !== RegistrationDriverName.Grpc) return;
  const message = '--discovery-token-unsafe-skip-ca-verification cannot be used with --registration-auth grpc';
  const why = 'A gRPC server publishes nothing that the token signs: give --discovery-token-ca-cert-hash.';
  throw new CliError('usage', message, `${why} ${hintFor(options)}`);
}

const hintFor = (options: RegisterOptions): string =>
  `Use the command that \`${commandOnHub(options)}\` prints on the hub.`;

const commandOnHub = ({ registrationAuth }: Pick<RegisterOptions, 'registrationAuth'>): string =>
  registrationAuth === RegistrationDriverName.Grpc
    ? 'flotilla token create --print-register-command --registration-auth grpc'
    : 'flotilla token create --print-register-command';

/** Where the hub is and which CA it has, as the flags of `join` say it. */
function hubFlags(
  address: string,
  registrationAuth: string | undefined,
  pins: readonly string[],
): Pick<JoinOptions, 'hubApiserver' | 'hubCaHash' | 'grpcServer' | 'grpcCaHash'> {
  if (registrationAuth !== RegistrationDriverName.Grpc) return { hubApiserver: serverOf(address), hubCaHash: pins };
  return { grpcServer: checkGrpcServer(address, 'the address'), grpcCaHash: pins };
}

/** `host:port`, and nothing else. */
function serverOf(address: string): string {
  const url = address.includes('://') ? undefined : URL.parse(`https://${address}`);
  if (url && url.username === '' && url.search === '' && url.hash === '')
    return `https://${address.replace(/\/$/, '')}`;
  throw new CliError('usage', `${address} is not host:port`, 'Leave out https://, users, queries and fragments.');
}

/** How the cluster registered before, whose agent is not changed unasked. */
async function earlierAuth(
  context: CliContext,
  clusterName: string,
  options: GlobalOptions,
): Promise<string | undefined> {
  await using managed = await context.connector.toCluster(options);
  const earlier = await findEarlierJoin(managed.client, clusterName, context.clock);
  return earlier?.klusterlet.spec?.registrationConfiguration?.registrationDriver?.authType;
}

/** As karmadactl: the cluster of the current context. */
async function nameInKubeconfig(context: CliContext, options: GlobalOptions): Promise<string> {
  await using managed = await context.connector.toCluster(options);
  const { clusterName } = managed.access;
  if (clusterName) return clusterName;
  throw new CliError('usage', 'the name of this cluster is not known', 'Give --cluster-name.');
}

/** Where the cluster is, as claims, which its agent reports to the hub. */
async function applyClaims(context: CliContext, options: ClusterPlace & GlobalOptions): Promise<void> {
  const claims = Object.entries(claimsOf(options)).map(
    ([name, value]): KubeObject => ({
      apiVersion: apiVersionOf(clusterClaims),
      kind: clusterClaims.kind,
      metadata: { name },
      ...{ spec: { value } },
    }),
  );
  if (claims.length === 0) return;
  await using managed = await context.connector.toCluster(options);
  await applyObjects(managed.client, claims, { owner: cliOwner, clock: context.clock });
}
