import { nodeHost, type ProcessHost, runCommand } from '@flotilla/process';
import { runAddonManager } from './addon-manager.ts';
import { runController } from './controller.ts';
import type { HubProgram } from './hub-program.ts';
import { runPlacement } from './placement.ts';
import { runPlacementDebug } from './placement-debug.ts';
import { runWebhookServer } from './webhook-server.ts';
import { runWorkManager } from './work-manager.ts';

/** Runs the program: one of the parts of a hub as its first argument, with the flags of OCM and those of the drivers. */
export const runHubProgram = (program: HubProgram, host: ProcessHost = nodeHost()): Promise<void> => {
  const commands = {
    controller: {
      description: 'Run the controllers of registration, works, placement and add-ons.',
      run: (own: ProcessHost) => runController(own, program),
    },
    placement: {
      description: 'Run the controllers of placement alone.',
      run: (own: ProcessHost) => runPlacement(own, program),
    },
    'placement-debug': {
      description: 'Serve explanations of how placements are scheduled.',
      run: (own: ProcessHost) => runPlacementDebug(own, program),
    },
    'work-manager': {
      description: 'Run the controllers of works alone.',
      run: (own: ProcessHost) => runWorkManager(own, program),
    },
    'addon-manager': {
      description: 'Run the controllers of add-ons alone.',
      run: (own: ProcessHost) => runAddonManager(own, program),
    },
    'webhook-server': {
      description: 'Run the webhook server of registration and of works.',
      run: (own: ProcessHost) => runWebhookServer(own, program),
    },
    'cluster-proxy': {
      description: 'Serve the APIs of clusters to users of the hub.',
      async run(own: ProcessHost) {
        const { runClusterProxyProgram } = await import('./cluster-proxy.ts');
        return runClusterProxyProgram(own, program);
      },
    },
    'push-agents': {
      description: 'Run the agents of clusters that the hub reaches itself.',
      async run(own: ProcessHost) {
        // The other commands do not load the parts of an agent.
        const { runPushAgentsProgram } = await import('./push-agents.ts');
        return runPushAgentsProgram(own, program);
      },
    },
    'grpc-server': {
      description: 'Serve the hub by gRPC to clusters that cannot reach its API server.',
      async run(own: ProcessHost) {
        // The other commands do not load gRPC.
        const { runGrpcServerProgram } = await import('./grpc-server.ts');
        return runGrpcServerProgram(own, program);
      },
    },
  };
  return runCommand(program.name, commands, host);
};
