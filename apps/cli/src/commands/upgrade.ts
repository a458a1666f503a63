import type { Command } from 'commander';
import type { UpgradeCommandOptions } from '../actions/upgrade.ts';
import type { CliContext } from '../context.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption, timeoutOption, yesOption } from './command.ts';
import { addImageFlags } from './install-flags.ts';

export const addUpgrade: AddCommand = (program, context) => {
  const upgrade = program.command('upgrade').description('Upgrade the hub or the agent of this cluster');
  addKind(upgrade, context, 'clustermanager', '--cluster-manager-values-file');
  addKind(upgrade, context, 'klusterlet', '--klusterlet-values-file');
  const plan = upgrade
    .command('plan')
    .summary('Display what an upgrade would change')
    .description('Display what an upgrade of the hub and the agent of this cluster would change. Nothing is changed.')
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla upgrade plan\n  $ flotilla upgrade plan --bundle-version latest -o json\n',
    )
    .action(async (_options, self) => {
      const { upgradePlan } = await import('../actions/upgrade.ts');
      await upgradePlan(context, allOptions<UpgradeCommandOptions>(self));
    });
  addImageFlags(plan);
};

const names = { clustermanager: ['cluster-manager', 'hub'], klusterlet: ['klusterlet', 'agent'] } as const;

function addKind(
  upgrade: Command,
  context: CliContext,
  kind: 'clustermanager' | 'klusterlet',
  valuesFlag: string,
): void {
  const [name, what] = names[kind];
  const command = upgrade
    .command(kind)
    .summary(`Upgrade the ${what}`)
    .description(
      `Upgrade the operator and the images of the ${what} to the release of this program. All else stays as it is. An older release is refused without --force.`,
    )
    .option('--name <name>', `the ${kind} to upgrade`, name)
    .option(`${valuesFlag} <file>`, `values of the chart ${name}, which change more than images`)
    .option('--force', 'also go back to an older release')
    .option('--wait', 'wait until all of it runs')
    .addOption(timeoutOption('with --wait'))
    .addOption(dryRunOption())
    .addOption(yesOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `\nExamples:\n  $ flotilla upgrade ${kind} --wait\n  $ flotilla upgrade ${kind} --bundle-version latest --dry-run\n`,
    )
    .action(async (_options, self) => {
      const { upgrade: run } = await import('../actions/upgrade.ts');
      await run(context, kind, allOptions<UpgradeCommandOptions>(self));
    });
  addImageFlags(command);
}
