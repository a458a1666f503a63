import type { Command } from 'commander';
import type { RolloutOptions } from '../rollout/replica-set.ts';
import {
  type AddCommand,
  allOptions,
  booleanOption,
  changeOutputOption,
  countOption,
  dryRunOption,
  outputOption,
  timeoutOption,
} from './command.ts';

type Run<T> = (resource: string, name: string | undefined, options: T & RolloutOptions) => Promise<void>;

/** Adds a command that is about one replica set. */
function addOne<T>(rollout: Command, name: string, summary: string, description: string, run: Run<T>): Command {
  return rollout
    .command(name)
    .summary(summary)
    .description(description)
    .argument('<resource>', 'mwrs, or mwrs/NAME')
    .argument('[name]', 'name of the ManifestWorkReplicaSet')
    .option('-n, --namespace <namespace>', 'namespace of the ManifestWorkReplicaSet', 'default')
    .addHelpText('after', `\nExamples:\n  $ flotilla rollout ${name} mwrs web -n team\n`)
    .action((resource: string, given: string | undefined, _options, self) =>
      run(resource, given, allOptions<T & RolloutOptions>(self)),
    );
}

export const addRollout: AddCommand = (program, context) => {
  const rollout = program.command('rollout').description('Follow, hold and undo rollouts of ManifestWorkReplicaSets');
  addOne<{ watch: boolean; timeout: number; output: string }>(
    rollout,
    'status',
    'Show how far a rollout is, until it is done',
    'Show how far the newest template is, until all selected clusters have succeeded. Fails if too many clusters failed, and names them.',
    async (resource, name, options) => {
      const { rolloutStatus } = await import('../actions/rollout-status.ts');
      await rolloutStatus(context, resource, name, options);
    },
  )
    .option('-w, --watch [watch]', 'follow the rollout until it is done', booleanOption, true)
    .addOption(timeoutOption('for the rollout'))
    .addOption(outputOption('text', 'json', 'yaml'));
  addOne<{ revision?: number; output: string }>(
    rollout,
    'history',
    'List the templates that are kept',
    'List the templates that the hub keeps of a ManifestWorkReplicaSet, the newest last, or print one of them.',
    async (resource, name, options) => {
      const { rolloutHistory } = await import('../actions/rollout-history.ts');
      await rolloutHistory(context, resource, name, options);
    },
  )
    .option('--revision <number>', 'print the template of this revision', countOption)
    .addOption(outputOption('table', 'json', 'yaml'));
  addOne<{ toRevision: number; dryRun?: boolean; output: string }>(
    rollout,
    'undo',
    'Go back to an earlier template',
    'Go back to the template before the newest, or to that of a revision. It is rolled out by the strategies of the ManifestWorkReplicaSet, as any other.',
    async (resource, name, options) => {
      const { rolloutUndo } = await import('../actions/rollout-undo.ts');
      await rolloutUndo(context, resource, name, options);
    },
  )
    .option('--to-revision <number>', 'revision to go back to; 0 is the one before', countOption, 0)
    .addOption(dryRunOption())
    .addOption(changeOutputOption());
  for (const [command, summary] of [
    ['pause', 'Hold a rollout'],
    ['resume', 'Go on with a rollout that is paused'],
  ] as const) {
    addOne<{ output: string }>(
      rollout,
      command,
      summary,
      `${summary}. While it is paused, no cluster gets a work or another template.`,
      async (resource, name, options) => {
        const { rolloutPause } = await import('../actions/rollout-pause.ts');
        await rolloutPause(context, resource, name, command === 'pause', options);
      },
    ).addOption(changeOutputOption());
  }
};
