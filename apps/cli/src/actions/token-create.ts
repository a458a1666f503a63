import {
  type ClusterManager,
  GroupName,
  managedClusterSets,
  Permission,
  RegistrationDriverName,
} from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import {
  type BootstrapTokenUsage,
  bootstrapGroupForm,
  bootstrapTokenUsages,
  formatBootstrapToken,
  newBootstrapToken,
  parseBootstrapToken,
  type StoredBootstrapToken,
} from '@flotilla/kube/bootstrap-token';
import { selfSubjectAccessReviews } from '@flotilla/kube/kinds';
import { formatTime, parseDuration } from '@flotilla/kube/meta';
import type { CliContext, GlobalOptions } from '../context.ts';
import { installedDrivers } from '../drivers/registration-drivers.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import {
  grpcAddressWarning,
  grpcAdvice,
  grpcJoinCommand,
  grpcRegisterCommand,
  requireGrpcServer,
} from '../hub/grpc-join-info.ts';
import {
  addressWarning,
  describeHub,
  type JoinInfo,
  joinCommand,
  joinInfoValue,
  recordedHub,
  registerCommand,
} from '../hub/join-info.ts';
import { createJoinToken, signAgain } from '../hub/join-tokens.ts';
import { checkClusterName } from '../options/cluster-name.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';

/** The flags of `token create`. */
export interface TokenCreateOptions {
  readonly ttl: string;
  readonly usages: readonly string[];
  readonly groups?: readonly string[];
  readonly description?: string;
  readonly clusterName?: string;
  readonly clusterSet?: string;
  readonly maxUses?: number;
  readonly printJoinCommand?: boolean;
  readonly printRegisterCommand?: boolean;
  /** Of the commands. Default: the first that the hub offers of csr and grpc. */
  readonly registrationAuth?: string;
  readonly output: string;
}

/** Creates a token with which clusters can request to join, and prints it. */
export async function tokenCreate(
  context: CliContext,
  given: string | undefined,
  options: TokenCreateOptions & GlobalOptions,
): Promise<void> {
  const token = { ...tokenOf(given), ...endOf(options.ttl, context.clock.now()), usages: usagesOf(options) };
  const { clusterName, clusterSet, maxUses, description } = checkRestriction(options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  if (clusterSet !== undefined) await requireSet(hub.client, clusterSet);
  const recorded = await recordedHub(hub.client);
  const wantsCommand = options.printJoinCommand || options.printRegisterCommand || isMachineFormat(options.output);
  // Before anything is created: a command that cannot be printed is an error.
  const described = wantsCommand ? await describeHub(context.connector, hub, recorded) : undefined;
  const isGrpc = (options.registrationAuth ?? authTypeOf(recorded)) === RegistrationDriverName.Grpc;
  if (isGrpc && described) requireGrpcServer(context.program, described);
  else if (options.printRegisterCommand && described?.trust.kind !== 'hashes') throw notPublished(context.program);
  const stored = await createJoinToken(hub.client, installedDrivers(recorded), {
    token: { ...token, ...(description && { description }) },
    restriction: {
      ...(clusterName !== undefined && { clusterName }),
      ...(clusterSet !== undefined && { clusterSet }),
      ...(maxUses !== undefined && { maxUses }),
    },
    ...(options.groups && { groups: options.groups }),
  });
  await signAgain(hub.client, context.clock);
  if (stored.expiresAt === undefined) context.err.write(neverEnds(context.program, stored));
  const info = described && { token: formatBootstrapToken(stored), expires: expiryOf(stored), ...described };
  const warning = info && (isGrpc ? grpcAddressWarning(info.grpc) : addressWarning(info.server));
  if (warning) context.err.write(`${warning}\n`);
  context.out.write(printed(context, { ...options, isGrpc }, stored, info));
  // Beside the command, which scripts run.
  if (info && options.printJoinCommand && !isGrpc) context.err.write(grpcAdvice(context.program, info, clusterName));
}

/** What the hub was installed with; one that says nothing has csr. */
const authTypeOf = (recorded: ClusterManager | undefined): string | undefined =>
  installedDrivers(recorded).find(({ authType }) => ['csr', 'grpc'].includes(authType))?.authType;

function printed(
  { program }: CliContext,
  { output, clusterName, printJoinCommand, printRegisterCommand, isGrpc }: TokenCreateOptions & { isGrpc: boolean },
  stored: StoredBootstrapToken,
  info: JoinInfo | undefined,
): string {
  if (!info) return `${formatBootstrapToken(stored)}\n`;
  const register = (isGrpc ? grpcRegisterCommand : registerCommand)(program, info, clusterName);
  if (isMachineFormat(output)) {
    return formatValue({ id: stored.id, ...joinInfoValue(info), ...(register && { register }) }, output);
  }
  const join = isGrpc
    ? grpcJoinCommand(program, info, clusterName)
    : joinCommand(program, info, clusterName === undefined ? {} : { clusterName });
  return [...(printRegisterCommand ? [register] : []), ...(printJoinCommand ? [join] : [])].join('\n').concat('\n');
}

const expiryOf = ({ expiresAt }: StoredBootstrapToken): string =>
  expiresAt === undefined ? 'never' : formatTime(expiresAt);

function tokenOf(given: string | undefined) {
  if (given === undefined) return newBootstrapToken();
  const token = parseBootstrapToken(given);
  if (token) return token;
  const hint =
    'It is six letters or digits, a dot and sixteen letters or digits, in lower case. Left out, one is made.';
  // Not repeated: it may be a secret with one letter wrong.
  throw new CliError('usage', 'TOKEN is not a bootstrap token', hint);
}

function endOf(ttl: string, now: number): { expiresAt?: number } {
  const ms = parseDuration(ttl);
  if (ms === 0) return {};
  if (ms >= 1000) return { expiresAt: now + ms };
  throw new CliError(
    'usage',
    `--ttl ${ttl} is too short`,
    'Give at least 1s, such as 24h, or 0 for a token that never ends.',
  );
}

function usagesOf({ usages }: TokenCreateOptions): BootstrapTokenUsage[] {
  const known = (usage: string): usage is BootstrapTokenUsage => bootstrapTokenUsages.some((each) => each === usage);
  const wrong = usages.find((usage) => !known(usage));
  if (wrong === undefined) return usages.filter(known);
  throw new CliError('usage', `--usages ${wrong} is not known`, `Give ${bootstrapTokenUsages.join(' or ')}, or both.`);
}

/** Refuses what could not be enforced, or would undo itself. */
function checkRestriction(options: TokenCreateOptions): TokenCreateOptions {
  const { clusterName, clusterSet, maxUses, groups = [] } = options;
  if (clusterName !== undefined) checkClusterName(clusterName);
  if (clusterSet !== undefined && clusterName === undefined) {
    const hint = 'Add --cluster-name: a token for any cluster does not say which one is in the set.';
    throw new CliError('usage', '--cluster-set without --cluster-name', hint);
  }
  if (maxUses === 0) {
    throw new CliError('usage', '--max-uses 0 is a token that cannot be used', 'Give 1 or more, or leave it out.');
  }
  const wrong = groups.find((group) => !bootstrapGroupForm.test(group));
  if (wrong !== undefined) {
    const hint = 'It must start with system:bootstrappers: and have lower-case letters, digits, colons and dashes.';
    throw new CliError('usage', `--groups ${wrong} cannot be a group of a bootstrap token`, hint);
  }
  if ((clusterName !== undefined || maxUses !== undefined) && groups.includes(GroupName.Bootstrappers)) {
    const hint = 'Leave the group out: a token for one cluster, or for some uses, has a role of its own.';
    throw new CliError(
      'usage',
      `--groups ${GroupName.Bootstrappers} would give it the rights of a token for any cluster`,
      hint,
    );
  }
  return options;
}

/** A set that does not exist would be one that nobody looks at; and who may not fill it does not by a token either. */
async function requireSet(client: KubeClient, name: string): Promise<void> {
  if (!(await client.resource(managedClusterSets).find(name))) {
    const hint = `Create it first: \`flotilla create clusterset ${name}\`.`;
    throw new CliError('precondition', `there is no ManagedClusterSet ${name}`, hint);
  }
  const { group, resource, subresource, verb } = Permission.JoinClusterSet;
  const review = { spec: { resourceAttributes: { group, resource, subresource, verb, name } } };
  if ((await client.resource(selfSubjectAccessReviews).create(review)).status?.allowed) return;
  const hint = 'Ask an administrator of the set for the right to create managedclustersets/join.';
  throw new CliError('precondition', `you cannot add clusters to ManagedClusterSet ${name}`, hint);
}

const notPublished = (program: string): CliError =>
  new CliError(
    'precondition',
    'anonymous callers cannot read the CA of this hub in kube-public/cluster-info, so `register` could not verify it',
    `Run \`${program} init\`, which publishes it, or use --print-join-command, which has the CA in it.`,
  );

const neverEnds = (program: string, { id }: StoredBootstrapToken): string =>
  `Warning: this token never ends. Whoever finds it can request to join until you run \`${program} token delete ${id}\`.\n`;
