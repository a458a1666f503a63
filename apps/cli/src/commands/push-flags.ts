import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../errors/cli-error.ts';
import { countOption, listOption } from './command.ts';

/** Flags that choose hub and member, of `join` and `unjoin`. The words are karmadactl's. */
function addChoice(command: Command): void {
  command
    .option(
      '--push',
      'the hub connects to the cluster (push mode); implied by --cluster-kubeconfig and --cluster-context',
    )
    .option('--cluster-kubeconfig <file>', 'kubeconfig of the cluster; --kubeconfig is then that of the hub')
    .option('--cluster-context <name>', 'context of the cluster (default: the one with its name, then the current one)')
    .option('--cluster-namespace <name>', 'namespace on the cluster for the service account of the hub')
    .option('--karmada-context <name>', 'context of the hub, as --context')
    .option('--karmada-as <user>', 'user to impersonate on the hub')
    .option('--karmada-as-group <group>', 'group to impersonate on the hub; may be repeated', listOption)
    .option('--karmada-as-uid <uid>', 'uid to impersonate on the hub')
    .option('--proxy-header <key=value>', 'with --push: header for an HTTP proxy; may be repeated', headerOption);
}

/** The flags of `join --push`. */
export function addJoinPushFlags(command: Command): void {
  addChoice(command);
  command
    .option('--cluster-provider <name>', 'provider of the cluster: a label, and a claim')
    .option('--cluster-region <name>', 'region of the cluster: a label, and a claim')
    .option('--cluster-zones <names>', 'zones of the cluster: a claim, and the first a label', listOption)
    .option(
      '--work-roles <names>',
      'with --push: ClusterRoles that works may use; or the word none, or default for what OCM grants; else as this cluster joined before',
      listOption,
    )
    .option('--member-token-expiration-seconds <seconds>', 'with --push: lifetime of tokens of the hub', tokenSeconds);
}

/** The flags of `unjoin` for a pushed cluster. */
export function addUnjoinPushFlags(command: Command): void {
  addChoice(command);
  command
    .option('--proxy-ca-file <file>', 'CA of the proxy of --cluster-kubeconfig as PEM')
    .option('--wait <duration>', 'as --timeout, with a unit: 60s, 5m', durationSeconds);
}

/** Whether the flags are about a cluster that the hub reaches itself. */
export const isPush = (options: {
  readonly push?: boolean;
  readonly clusterKubeconfig?: string;
  readonly clusterContext?: string;
}): boolean => options.push === true || options.clusterKubeconfig !== undefined || options.clusterContext !== undefined;

/** The name of the cluster: the argument, as karmadactl has it, or the flag. */
export function clusterNameOf(argument: string | undefined, flag: string | undefined): string {
  const name = argument ?? flag;
  if (name === undefined || name === '') {
    throw new CliError(
      'usage',
      "required option '--cluster-name <name>' not specified",
      'Give the name of the cluster.',
    );
  }
  if (argument !== undefined && flag !== undefined && argument !== flag) {
    throw new CliError('usage', `the cluster is named ${argument} and, by --cluster-name, ${flag}`, 'Give one name.');
  }
  return name;
}

/** A header is taken whole: its value may have commas. Given again, it has both values. */
function headerOption(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+)[=:](.*)$/.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('Give a header as key=value.');
  const known = before[name];
  return { ...before, [name]: known === undefined ? value.trim() : `${known}, ${value.trim()}` };
}

/** The API server refuses shorter ones. */
const leastTokenSeconds = 600;

function tokenSeconds(text: string): number {
  const seconds = countOption(text);
  if (seconds >= leastTokenSeconds) return seconds;
  throw new InvalidArgumentError(`Give at least ${leastTokenSeconds}.`);
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `60s`, `5m`, as karmadactl has it. */
export function durationSeconds(text: string): number {
  const [, count, unit = 's'] = /^(\d+)([smh])?$/.exec(text) ?? [];
  const seconds = Number(count) * (units[unit] ?? Number.NaN);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('Give a positive duration such as 60s or 5m.');
}
