import type { CreateWorkOptions } from '../actions/create-work.ts';
import { type AddCommand, allOptions, changeOutputOption, dryRunOption, listOption, timeoutOption } from './command.ts';

export const addCreateWork: AddCommand = (create, context) => {
  create
    .command('work')
    .summary('Distribute objects to clusters')
    .description(
      'Distribute the objects in files to clusters: one ManifestWork for each cluster, whose agent applies the objects and keeps them as they are. Run it on the hub. All clusters and objects are checked before the first work is written; repeating it changes nothing.',
    )
    .argument('[name]', 'name of the work')
    .option('-f, --filename <files>', 'files or directories with manifests, or - for standard input', listOption)
    .option('-R, --recursive', 'read subdirectories too')
    .option('--clusters <names>', 'clusters, separated by commas', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option('--placement <namespace/name>', 'the clusters that a Placement selects now')
    .option('-r, --replicaset', 'with --placement: follow the Placement by a ManifestWorkReplicaSet')
    .option(
      '--overwrite',
      'replace the manifests of works that exist already; with --placement, delete works on clusters that are not selected any more',
    )
    .option('--feedback', 'report the status of Deployments, DaemonSets, Jobs and Pods')
    .option('--wait', 'wait until the objects exist on the clusters')
    .addOption(timeoutOption('with --wait'))
    .addOption(dryRunOption())
    .addOption(changeOutputOption())
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla create work hello -f hello.yaml --clusters cluster1,cluster2
  $ flotilla create work hello -f ./app --clusters cluster1 --overwrite --feedback --wait
  $ flotilla create work hello -f hello.yaml --placement default/all --replicaset
  $ kubectl create deployment hello --image nginx --dry-run=client -o yaml | flotilla create work hello -f - -c cluster1
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { createWork } = await import('../actions/create-work.ts');
      await createWork(context, name, allOptions<CreateWorkOptions>(self));
    });
};
