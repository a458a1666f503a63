import type { GetKubeconfigOptions } from '../actions/get-kubeconfig.ts';
import { type AddCommand, allOptions } from './command.ts';

export const addGetKubeconfig: AddCommand = (get, context) => {
  get
    .command('kubeconfig')
    .summary('Display a kubeconfig that leads to a cluster through the hub')
    .description(
      'Display a kubeconfig by which kubectl and other programs reach a cluster through the hub. It holds your credentials for the hub.',
    )
    .requiredOption('--cluster <name>', 'cluster to reach')
    .option('-o, --output <file>', 'write it to a file that only you can read, instead of displaying it')
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla get kubeconfig --cluster cluster1 -o cluster1.yaml\n  $ kubectl --kubeconfig cluster1.yaml get pods -A\n',
    )
    .action(async (_options, self) => {
      const { getKubeconfig } = await import('../actions/get-kubeconfig.ts');
      await getKubeconfig(context, allOptions<GetKubeconfigOptions>(self));
    });
};
