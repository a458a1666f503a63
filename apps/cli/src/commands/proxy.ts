import type { ProxyServeOptions } from '../actions/proxy.ts';
import type { ProxyHealthOptions } from '../actions/proxy-health.ts';
import type { ProxyKubectlOptions } from '../actions/proxy-kubectl.ts';
import { type AddCommand, allOptions, countOption, listOption, outputOption } from './command.ts';
import { type Refusal, refuseFlags } from './flags-of-clusteradm.ts';

export const addProxy: AddCommand = (program, context) => {
  const proxy = program
    .command('proxy')
    .summary('Reach the API of a cluster through the hub')
    .description(
      'Serve the API of a cluster on this machine, as `kubectl proxy` does, through the hub and with your credentials for the hub. The cluster must let users of the hub in.',
    )
    .option('--cluster <name>', 'cluster to reach')
    .option('--port <number>', 'port on 127.0.0.1; 0 for any that is free', countOption, 8001)
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla proxy --cluster cluster1\n  $ flotilla proxy kubectl --cluster cluster1 -- get pods -A\n  $ flotilla proxy health\n',
    )
    .action(async (_options, self) => {
      const { serveProxy } = await import('../actions/proxy.ts');
      await serveProxy(context, allOptions<ProxyServeOptions>(self));
    });
  addKubectl(proxy, context);
  addHealth(proxy, context);
};

const addKubectl: AddCommand = (proxy, context) => {
  const command = proxy
    .command('kubectl')
    .summary('Run kubectl against a cluster')
    .description(
      'Run the installed kubectl against a cluster, through the hub and with your credentials for the hub. Ends with the exit code of kubectl.',
    )
    .argument('[arguments...]', 'arguments of kubectl, after --')
    .option('--cluster <name>', 'cluster to reach')
    .option(
      '--args <text>',
      'arguments of kubectl as one text, as clusteradm has it; blanks separate, quotes keep together',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla proxy kubectl --cluster cluster1 -- get pods -A\n  $ flotilla proxy kubectl --cluster cluster1 --args "logs -f deploy/web"\n',
    )
    .action(async (words: string[], _options, self) => {
      const { runKubectlThrough } = await import('../actions/proxy-kubectl.ts');
      await runKubectlThrough(context, words, allOptions<ProxyKubectlOptions>(self));
    });
  refuseFlags(command, {
    '--sa': [
      'clusters are reached with your credentials for the hub, not with those of a ManagedServiceAccount',
      'Leave it out; what you may do there is granted on the cluster (docs/guides/reach-members.md).',
    ],
    '-i, --interactive': [
      'each command is run by itself',
      'Write a kubeconfig for kubectl: `flotilla get kubeconfig --cluster NAME -o FILE`.',
    ],
  });
};

const addHealth: AddCommand = (proxy, context) => {
  const command = proxy
    .command('health')
    .summary('Display which clusters can be reached')
    .description('Display which clusters can be reached through the hub, and how fast they answer.')
    .option('--clusters <names>', 'only these clusters', listOption)
    .option('-c, --cluster <name>', 'one cluster', listOption)
    .addOption(outputOption('table', 'json', 'yaml'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ flotilla proxy health\n  $ flotilla proxy health --clusters cluster1,cluster2\n',
    )
    .action(async (_options, self) => {
      const { proxyHealth } = await import('../actions/proxy-health.ts');
      await proxyHealth(context, allOptions<ProxyHealthOptions>(self));
    });
  const byTunnel: Refusal = [
    'clusters are reached through the API server of the hub, and not by a tunnel of their own',
    'Leave it out: the kubeconfig of the hub is enough.',
  ];
  refuseFlags(command, {
    '--in-cluster-proxy-cert-lookup': byTunnel,
    '--proxy-ca-cert': byTunnel,
    '--proxy-cert': byTunnel,
    '--proxy-key': byTunnel,
    '--proxy-server-host': byTunnel,
    '--proxy-server-port': byTunnel,
  });
};
