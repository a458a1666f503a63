import type { CreateWorkOptions } from '../actions/create-work.ts';
import { type AddCommand, allOptions, listOption, outputOption } from './command.ts';

export const addCreateWork: AddCommand = (create, context) => {
  create
    .command('work')
    .summary('give objects to clusters')
    .description(
      'Gives the objects in files to clusters: a ManifestWork each, which the agent of the cluster applies and keeps so. Run it on the hub. All clusters and all objects are checked before the first work is written; repeating it changes nothing.',
    )
    .argument('[name]', 'name of the work')
    .option('-f, --filename <files>', 'files or directories with manifests, - for the standard input', listOption)
    .option('-R, --recursive', 'look into directories below, too')
    .option('--clusters <names>', 'the clusters, separated by commas', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .option('--placement <namespace/name>', 'the clusters that a Placement chooses')
    .option('-r, --replicaset', 'follow the Placement with a ManifestWorkReplicaSet')
    .option('--overwrite', 'replace the manifests of works that are there already')
    .option('--feedback', 'report how Deployments, DaemonSets, Jobs and Pods are')
    .option('--wait', 'wait until the objects exist on the clusters')
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla create work hello -f hello.yaml --clusters cluster1,cluster2
  $ flotilla create work hello -f ./app --clusters cluster1 --overwrite --feedback --wait
  $ kubectl create deployment hello --image nginx --dry-run=client -o yaml | flotilla create work hello -f - -c cluster1
`,
    )
    .action(async (name: string | undefined, _options, self) => {
      const { createWork } = await import('../actions/create-work.ts');
      await createWork(context, name, allOptions<CreateWorkOptions>(self));
    });
};
