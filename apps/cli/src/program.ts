import { Command } from 'commander';
import { addAccept } from './commands/accept.ts';
import { addAddOnCreate } from './commands/addon-create.ts';
import { addAddOnDev } from './commands/addon-dev.ts';
import { addAddOnDisable } from './commands/addon-disable.ts';
import { addAddOnEnable } from './commands/addon-enable.ts';
import { addClean } from './commands/clean.ts';
import { addClusterSetBind, addClusterSetUnbind } from './commands/clusterset-bind.ts';
import { addClusterSetSet } from './commands/clusterset-set.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addCreateClusterSet } from './commands/create-clusterset.ts';
import { addCreatePlacement } from './commands/create-placement.ts';
import { addCreateSampleApp } from './commands/create-sampleapp.ts';
import { addCreateWork } from './commands/create-work.ts';
import { addDeleteClusterSet } from './commands/delete-clusterset.ts';
import { addDeleteToken } from './commands/delete-token.ts';
import { addDeleteWork } from './commands/delete-work.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDown } from './commands/down.ts';
import { addExplainAddOn } from './commands/explain-addon.ts';
import { addExplainPlacement } from './commands/explain-placement.ts';
import { addExplainReplicaSet } from './commands/explain-replica-set.ts';
import { addExplainWork } from './commands/explain-work.ts';
import { addGetAddOns } from './commands/get-addons.ts';
import { addGetClusters } from './commands/get-clusters.ts';
import { addGetClusterSets } from './commands/get-clustersets.ts';
import { addGetCsr } from './commands/get-csr.ts';
import { addGetHubInfo } from './commands/get-hub-info.ts';
import { addGetKlusterletInfo } from './commands/get-klusterlet-info.ts';
import { addGetKubeconfig } from './commands/get-kubeconfig.ts';
import { addGetPlacements } from './commands/get-placements.ts';
import { addGetReplicaSets } from './commands/get-replica-sets.ts';
import { addGetResources } from './commands/get-resources.ts';
import { addGetToken } from './commands/get-token.ts';
import { addGetWorks } from './commands/get-works.ts';
import { addGlobalFlags } from './commands/global-flags.ts';
import { addInit } from './commands/init.ts';
import { addInstallHubAddOn } from './commands/install-hub-addon.ts';
import { addJoin } from './commands/join.ts';
import { addOptions } from './commands/options.ts';
import { addPlugin } from './commands/plugin.ts';
import { addProxy } from './commands/proxy.ts';
import { addRegister } from './commands/register.ts';
import { addRollout } from './commands/rollout.ts';
import { addTokenCreate } from './commands/token-create.ts';
import { addTokenDelete } from './commands/token-delete.ts';
import { addTokenList } from './commands/token-list.ts';
import { addUninstallHubAddOn } from './commands/uninstall-hub-addon.ts';
import { addUnjoin } from './commands/unjoin.ts';
import { addUnregister } from './commands/unregister.ts';
import { addUp } from './commands/up.ts';
import { addUpgrade } from './commands/upgrade.ts';
import { addVersion } from './commands/version.ts';
import type { CliContext } from './context.ts';

/** The command line `flotilla`. */
export function createProgram(context: CliContext): Command {
  const program = rootCommand(context);
  program.commandsGroup('Run a fleet on this machine:');
  addUp(program, context);
  addDown(program, context);

  program.commandsGroup('Register clusters:');
  addInit(program, context);
  addJoin(program, context);
  addAccept(program, context);
  addUnjoin(program, context);
  addUpgrade(program, context);
  addRegister(program, context);
  addUnregister(program, context);
  addClean(program, context);
  const token = program.command('token').description('Create, list or delete the tokens with which clusters join');
  addTokenCreate(token, context);
  addTokenList(token, context);
  addTokenDelete(token, context);

  addDistribution(program, context);
  addAddOns(program, context);
  program.commandsGroup('Reach clusters:');
  addProxy(program, context);
  addInspection(program, context);
  return program;
}

function addDistribution(program: Command, context: CliContext): void {
  program.commandsGroup('Select clusters, and distribute works:');
  const create = program.command('create').description('Create a work, a placement or a cluster set on the hub');
  addCreateWork(create, context);
  addCreatePlacement(create, context);
  addCreateClusterSet(create, context);
  addCreateSampleApp(create, context);
  const remove = program
    .command('delete')
    .description('Delete works, a cluster set, or the tokens to join, from the hub');
  addDeleteWork(remove, context);
  addDeleteClusterSet(remove, context);
  addDeleteToken(remove, context);
  const clusterset = program.command('clusterset').description('Move clusters to a set, and bind it to namespaces');
  addClusterSetSet(clusterset, context);
  addClusterSetBind(clusterset, context);
  addClusterSetUnbind(clusterset, context);
  addRollout(program, context);
}

function addAddOns(program: Command, context: CliContext): void {
  program.commandsGroup('Extend clusters with add-ons:');
  const addon = program
    .command('addon')
    .description('Offer an add-on, enable or disable add-ons on clusters, or develop one');
  addAddOnCreate(addon, context);
  addAddOnEnable(addon, context);
  addAddOnDisable(addon, context);
  addAddOnDev(addon, context);
  const install = program.command('install').description('Make the hub offer add-ons that come as manifests');
  addInstallHubAddOn(install, context);
  const uninstall = program.command('uninstall').description('Take add-ons off the hub');
  addUninstallHubAddOn(uninstall, context);
}

function addInspection(program: Command, context: CliContext): void {
  program.commandsGroup('Inspect:');
  const get = program
    .command('get')
    .description(
      'Display clusters, sets, placements, works, replica sets, add-ons, certificate requests, or a token to join',
    );
  addGetClusters(get, context);
  addGetClusterSets(get, context);
  addGetPlacements(get, context);
  addGetWorks(get, context);
  addGetReplicaSets(get, context);
  addGetAddOns(get, context);
  addGetCsr(get, context);
  addGetToken(get, context);
  addGetHubInfo(get, context);
  addGetKlusterletInfo(get, context);
  addGetKubeconfig(get, context);
  addGetResources(get, context);
  const explain = program
    .command('explain')
    .description(
      'Explain why a work is not applied, which clusters a placement selects, where a rollout is, or what an add-on waits for',
    );
  addExplainWork(explain, context);
  addExplainPlacement(explain, context);
  addExplainReplicaSet(explain, context);
  addExplainAddOn(explain, context);
  addDoctor(program, context);
  addConfig(program, context);
  addPlugin(program, context);
  addOptions(program, context);
  addVersion(program, context);
  addCompletion(program, context);
}

function rootCommand(context: CliContext): Command {
  // `npm run …` is not a name.
  const program = new Command(context.program.includes(' ') ? 'flotilla' : context.program)
    .description('Manage many Kubernetes clusters from one hub, compatible with Open Cluster Management.')
    .showHelpAfterError('Add --help for flags and examples.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.out.write(text),
      writeErr: (text) => void context.err.write(text),
      // As all other errors begin.
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    })
    .configureHelp({ showGlobalOptions: true });
  addGlobalFlags(program);
  return program;
}
