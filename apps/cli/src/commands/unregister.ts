import type { UnregisterOptions } from '../actions/unregister.ts';
import { type AddCommand, allOptions, booleanOption, dryRunOption, outputOption, timeoutOption } from './command.ts';
import { refuseFlags } from './flags-of-clusteradm.ts';
import { durationSeconds } from './push-flags.ts';

export const addUnregister: AddCommand = (program, context) => {
  const command = program
    .command('unregister')
    .summary('Remove a cluster that was registered')
    .description(
      'Remove a cluster from its hub as karmadactl unregisters one: its works first, then the cluster on the hub, then what register made on the cluster, and nothing else. Without the kubeconfig of the hub it does what can be done on the cluster.',
    )
    .argument('<name>', 'name of the cluster on the hub')
    .option('--cluster-kubeconfig <file>', 'kubeconfig of the cluster (default: --kubeconfig)')
    .option('--cluster-context <name>', 'context of the cluster')
    .option('--hub-kubeconfig <file>', 'kubeconfig of the hub')
    .option('--hub-context <name>', 'context of the hub')
    .option('--karmada-config <file>', 'as --hub-kubeconfig')
    .option('--karmada-context <name>', 'as --hub-context')
    .option('--force', 'do not wait for a hub or an agent that is dead; what stays is listed')
    .option(
      '--purge-operator [boolean]',
      'remove the operator of agents too, if no other Klusterlet needs it',
      booleanOption,
      true,
    )
    .addOption(timeoutOption('until the objects are gone'))
    .option('--wait <duration>', 'as --timeout, with a unit: 60s, 5m', durationSeconds)
    .addOption(dryRunOption())
    .addOption(outputOption('text', 'json', 'yaml'))
    .addHelpText(
      'after',
      `
Examples:
  $ flotilla unregister cluster1 --cluster-kubeconfig cluster1.yaml --hub-kubeconfig hub.yaml
`,
    )
    .action(async (name: string, _options, self) => {
      const { unregister } = await import('../actions/unregister.ts');
      const { wait, ...options } = allOptions<UnregisterOptions & { wait?: number }>(self);
      await unregister(context, name, { ...options, timeout: wait ?? options.timeout });
    });
  refuseFlags(command, {
    '--namespace': [
      'the agent is in open-cluster-management-agent, as clusters of Open Cluster Management have it',
      'Leave it out.',
    ],
    '--cluster-namespace': ['an agent that pulls has no Secret on the hub', 'Leave it out.'],
    '--agent-name': ['a Klusterlet names the agent', 'Leave it out.'],
  });
};
