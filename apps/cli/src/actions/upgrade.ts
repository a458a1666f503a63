import { clusterManagers, klusterlets, ObjectName } from '@flotilla/api-types';
import { listKlusterlets } from '@flotilla/install';
import type { KubeObject } from '@flotilla/schema';
import { ifServed } from '../cluster/served.ts';
import { confirmChanges, formatByObject } from '../cluster/writes.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { agentReady, hubReady, waitForInstalled, waitForOperator } from '../operator/readiness.ts';
import { planUpgrade, type UpgradeKind, type UpgradeOptions, type UpgradePlan } from '../operator/upgrade.ts';
import { startProgress } from '../output/progress.ts';
import { formatResult, nameOfKind } from '../output/result.ts';

/** The flags of `upgrade`. */
export interface UpgradeCommandOptions extends UpgradeOptions, ChangeOptions, WaitOptions {
  readonly wait?: boolean;
  readonly name: string;
  readonly clusterManagerValuesFile?: string;
  readonly klusterletValuesFile?: string;
  readonly output: string;
}

const withFile = (options: UpgradeCommandOptions): UpgradeOptions => {
  const valuesFile = options.clusterManagerValuesFile ?? options.klusterletValuesFile;
  return { ...options, ...(valuesFile !== undefined && { valuesFile }) };
};

/** Upgrades a hub or an agent: its operator, and the images in its ClusterManager or Klusterlet. All else stays as it is. */
export async function upgrade(
  context: CliContext,
  kind: UpgradeKind,
  options: UpgradeCommandOptions & GlobalOptions,
): Promise<void> {
  await using cluster = await context.connector.toCluster(options);
  const { client } = cluster;
  using progress = startProgress(context);
  const plan = await planUpgrade(client, kind, options.name, withFile(options));
  if (!plan) {
    throw new CliError(
      'precondition',
      `${kind} is not installed`,
      kind === 'clustermanager'
        ? `Install a hub first: \`${context.program} init\`. Or name it: --name.`
        : `Join the cluster first: \`${context.program} join\`. Or name its Klusterlet: --name.`,
    );
  }
  if (options.dryRun) return printPlans(context, [plan], options.output);
  await confirmChanges(context, plan.changes, { yes: options.yes, progress });
  progress.done(`${kind} installed. starting upgrade`);
  await plan.apply(context);
  if (options.wait) {
    const { timeout } = options;
    await waitForOperator(context, client, plan.operator, { timeout, progress });
    const what = { what: kind === 'clustermanager' ? 'the hub' : 'the klusterlet', object: `${kind} ${plan.name}` };
    const ready = () => (kind === 'clustermanager' ? hubReady(client, plan.name) : agentReady(client, plan.name));
    await waitForInstalled(context, ready, { ...what, timeout, progress });
  }
  if (options.output === 'text') context.out.write('upgraded completed successfully\n');
  else printPlans(context, [plan], options.output);
}

/** Prints what an upgrade of this cluster would change, of hub and agent. */
export async function upgradePlan(context: CliContext, options: UpgradeCommandOptions & GlobalOptions): Promise<void> {
  await using cluster = await context.connector.toCluster(options);
  const { client } = cluster;
  const hubs = await ifServed(async () => (await client.resource(clusterManagers).list()).items, []);
  const found: [UpgradeKind, KubeObject][] = [
    ...hubs.map((hub): [UpgradeKind, KubeObject] => ['clustermanager', hub]),
    ...(await listKlusterlets(client)).map((agent): [UpgradeKind, KubeObject] => ['klusterlet', agent]),
  ];
  const plans: UpgradePlan[] = [];
  for (const [kind, { metadata }] of found) {
    const plan = await planUpgrade(client, kind, metadata?.name ?? '', { ...options, force: true });
    if (plan) plans.push(plan);
  }
  if (plans.length > 0) return printPlans(context, plans, options.output);
  const hint = `Install a hub by \`${context.program} init\`, or an agent by \`${context.program} join\`.`;
  throw new CliError('precondition', 'neither a ClusterManager nor a Klusterlet is installed here', hint);
}

function printPlans({ out, program }: CliContext, plans: readonly UpgradePlan[], output: string): void {
  const value = plans.map(({ kind, name, changes }) => ({ kind, name, changes: Object.fromEntries(changes) }));
  const text = plans.map((plan) => planText(plan, program)).join('');
  // Only what would change: a script that upgrades has nothing to do if there is no line.
  const outdated = plans.filter(({ changes }) => changes.size > 0);
  const names = outdated.map(({ kind, name }) => nameOfKind(upgradeTypes[kind], name));
  out.write(formatResult(output, { text, value, names }));
}

/** Of `--name`. */
const defaultNames: Readonly<Record<UpgradeKind, string>> = {
  clustermanager: ObjectName.ClusterManager,
  klusterlet: ObjectName.Klusterlet,
};

const upgradeTypes = { clustermanager: clusterManagers, klusterlet: klusterlets } as const;

function planText({ kind, name, changes }: UpgradePlan, program: string): string {
  if (changes.size === 0) return `${kind} ${name} is up to date\n`;
  return `${kind} ${name} would change:\n\n${formatByObject(changes)}\nTo do it: ${program} upgrade ${kind}${name === defaultNames[kind] ? '' : ` --name ${name}`}, with the flags of this plan\n`;
}
