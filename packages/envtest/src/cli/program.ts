import { Command, InvalidArgumentError, Option } from 'commander';
import { ensureBinaries } from '../binaries/ensure-binaries.ts';
import { runUp, type UpOptions } from './up.ts';

/** What the commands talk to. */
export interface CliContext {
  env: NodeJS.ProcessEnv;
  out: { write(text: string): unknown };
  err: { write(text: string): unknown };
}

/** The command line `flotilla-envtest`. */
export function createProgram(context: CliContext): Command {
  const program = new Command('flotilla-envtest').description(
    'A real kube-apiserver, etcd and kube-controller-manager on loopback.',
  );
  program.configureOutput({
    writeOut: (text) => void context.out.write(text),
    writeErr: (text) => void context.err.write(text),
  });
  program.addHelpText('after', examples);

  const source = () =>
    new Option('--source <source>', 'where the binaries come from').choices(['assets', 'build', 'download']);

  program
    .command('up')
    .description('start a control plane and keep it running until Ctrl-C')
    .option(
      '--crds [paths...]',
      "install CRDs: from YAML files or directories of them, or without a path Flotilla's own",
    )
    .option('--kubeconfig-out <file>', 'also write the administrator kubeconfig here; removed at the end')
    .option('--port <number>', 'port of the API server on 127.0.0.1 (default: a free one)', parsePort)
    .option('--data-dir <directory>', 'keep data and certificates here, and start from them next time')
    .addOption(source())
    .action((options: UpOptions) => runUp(options, context));

  program
    .command('binaries')
    .description('get the binaries: from KUBEBUILDER_ASSETS, from the cache, or by compiling or downloading them')
    .addOption(source())
    .option('--print-path', 'print the directory alone, for scripts')
    .action(async (options: { source?: 'assets' | 'build' | 'download'; printPath?: boolean }) => {
      const log = (line: string) => void context.err.write(`flotilla-envtest: ${line}\n`);
      const { directory, origin } = await ensureBinaries({
        env: context.env,
        log,
        ...(options.source && { source: options.source }),
      });
      context.out.write(options.printPath ? `${directory}\n` : `Kubernetes binaries (${origin}) are in ${directory}\n`);
    });
  return program;
}

const examples = `
Examples:
  $ flotilla-envtest up                                     # a cluster until Ctrl-C
  $ flotilla-envtest up --crds                              # with the APIs of Flotilla
  $ flotilla-envtest up --crds crds/ --kubeconfig-out dev.kubeconfig --port 6443
  $ flotilla-envtest up --data-dir ~/.local/share/dev-hub   # the same cluster again next time
  $ flotilla-envtest binaries                               # compile them now rather than in the first test
  $ flotilla-envtest binaries --source download             # official releases instead
  $ export KUBEBUILDER_ASSETS="$(flotilla-envtest binaries --print-path)"
`;

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new InvalidArgumentError('It must be a number from 1 to 65535.');
  }
  return port;
}
