import { Command } from 'commander';
import { addAccept } from './commands/accept.ts';
import { addClean } from './commands/clean.ts';
import { countOption } from './commands/command.ts';
import { addCompletion } from './commands/completion.ts';
import { addCreateWork } from './commands/create-work.ts';
import { addDeleteWork } from './commands/delete-work.ts';
import { addDown } from './commands/down.ts';
import { addExplainWork } from './commands/explain-work.ts';
import { addGetClusters } from './commands/get-clusters.ts';
import { addGetCsr } from './commands/get-csr.ts';
import { addGetHubInfo } from './commands/get-hub-info.ts';
import { addGetKlusterletInfo } from './commands/get-klusterlet-info.ts';
import { addGetToken } from './commands/get-token.ts';
import { addGetWorks } from './commands/get-works.ts';
import { addInit } from './commands/init.ts';
import { addJoin } from './commands/join.ts';
import { addUnjoin } from './commands/unjoin.ts';
import { addUp } from './commands/up.ts';
import { addVersion } from './commands/version.ts';
import type { CliContext } from './context.ts';

/** The command line `flotilla`. */
export function createProgram(context: CliContext): Command {
  const program = new Command('flotilla')
    .description('Many Kubernetes clusters from one hub, compatible with Open Cluster Management.')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster to talk to (default: $KUBECONFIG, then ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--dry-run', 'change nothing; show what would be done')
    .option('--timeout <seconds>', 'how long to wait', countOption, 300)
    .showHelpAfterError('Add --help to see the flags, and examples.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.out.write(text),
      writeErr: (text) => void context.err.write(text),
    })
    .configureHelp({ showGlobalOptions: true });

  program.commandsGroup('On this machine:');
  addUp(program, context);
  addDown(program, context);

  program.commandsGroup('Registration:');
  addInit(program, context);
  addJoin(program, context);
  addAccept(program, context);
  addUnjoin(program, context);
  addClean(program, context);

  program.commandsGroup('Works:');
  const create = program.command('create').description('Make something on the hub: a work.');
  addCreateWork(create, context);
  const remove = program.command('delete').description('Take something away from the hub: a work.');
  addDeleteWork(remove, context);

  program.commandsGroup('Looking:');
  const get = program
    .command('get')
    .description('Show what is there: clusters, certificate requests, works, a token to join.');
  addGetClusters(get, context);
  addGetWorks(get, context);
  addGetCsr(get, context);
  addGetToken(get, context);
  addGetHubInfo(get, context);
  addGetKlusterletInfo(get, context);
  const explain = program.command('explain').description('Tell why something is as it is: a work.');
  addExplainWork(explain, context);
  addVersion(program, context);
  addCompletion(program, context);
  return program;
}
