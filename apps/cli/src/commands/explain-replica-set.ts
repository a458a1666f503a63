import type { ExplainReplicaSetOptions } from '../actions/explain-replica-set.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addExplainReplicaSet: AddCommand = (explain, context) => {
  explain
    .command('replicaset')
    .aliases(['mwrs', 'manifestworkreplicaset'])
    .summary('Explain where clusters are in a rollout')
    .description(
      'Explain where each cluster is in the rollout of the newest template of a ManifestWorkReplicaSet: which have it and succeeded, what failed, and for whom the others wait. It reads the hub with your rights and plans as the hub does, also where the hub is one of Open Cluster Management.',
    )
    .argument('[name]', 'name of the ManifestWorkReplicaSet')
    .option('-n, --namespace <name>', 'namespace of the ManifestWorkReplicaSet', 'default')
    .option('--clusters <names>', 'only these clusters', listOption)
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla explain mwrs web --namespace team
  $ flotilla explain mwrs web -n team --clusters cluster1
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { explainReplicaSet } = await import('../actions/explain-replica-set.ts');
      await explainReplicaSet(context, name, allOptions<ExplainReplicaSetOptions>(self));
    });
};
