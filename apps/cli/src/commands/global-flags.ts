import { type Command, Option } from 'commander';
import { countOption } from './command.ts';
import { refuseFlags, takeIdleFlags } from './flags-of-clusteradm.ts';

/** Flags that klog gives to clusteradm. Messages always go to standard error here, so there is nothing to choose. */
const klogFlags = [
  '--add-dir-header',
  '--alsologtostderr',
  '--log-backtrace-at <location>',
  '--log-dir <directory>',
  '--log-file <file>',
  '--log-file-max-size <megabytes>',
  '--logtostderr',
  '--one-output',
  '--skip-headers',
  '--skip-log-headers',
  '--stderrthreshold <severity>',
  '--vmodule <pattern>',
];

/** The flags of every command. */
export function addGlobalFlags(program: Command): void {
  program
    .option('--kubeconfig <file>', 'kubeconfig of the cluster to use (default: $KUBECONFIG, then ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig to use')
    .option('-v, --v <level>', 'verbosity of messages: from 6 on, each request to an API server', countOption)
    // clusteradm takes these before and after every command. Where they mean something, the command has them in its help.
    .addOption(new Option('--dry-run').hideHelp())
    .addOption(new Option('--timeout <seconds>').argParser(countOption).hideHelp());
  takeIdleFlags(program, ...klogFlags);
  refuseFlags(program, {
    '--match-server-version': [
      'this program has no version of Kubernetes that a server could match',
      'Leave it out: `flotilla doctor` prints the version of the server, and every supported one works.',
    ],
  });
}
