import type { GetReplicaSetsOptions } from '../actions/get-replica-sets.ts';
import { type AddCommand, allOptions, listOutputOption } from './command.ts';

export const addGetReplicaSets: AddCommand = (get, context) => {
  get
    .command('replicasets')
    .aliases(['mwrs', 'replicaset', 'manifestworkreplicasets', 'manifestworkreplicaset'])
    .summary('Display ManifestWorkReplicaSets')
    .description(
      'Display ManifestWorkReplicaSets: how many clusters they have, how many of them have the newest template, and what failed.',
    )
    .argument('[names...]', 'only ManifestWorkReplicaSets of these names')
    .option('-n, --namespace <name>', 'only ManifestWorkReplicaSets of this namespace (default: all)')
    .addOption(listOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla get replicasets
  $ flotilla get mwrs web -n team -o wide               # with placements and rollout strategies
`,
    )
    .action(async (names: string[], _options, self) => {
      const { getReplicaSets } = await import('../actions/get-replica-sets.ts');
      await getReplicaSets(context, names, allOptions<GetReplicaSetsOptions>(self));
    });
};
