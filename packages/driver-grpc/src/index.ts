import { RegistrationDriverName } from '@flotilla/api-types';
import { defineDriver } from '@flotilla/registration-core/contract';
import { grpcAddon } from './addon.ts';
import { createGrpcHub } from './hub.ts';
import { agentOptions, hubOptions } from './options.ts';
import { rules } from './rules.ts';

/** Registration over gRPC, as OCM's `grpc`: for clusters that never reach the API server of their hub. */
export const grpcDriver = defineDriver({
  authType: RegistrationDriverName.Grpc,
  options: { agent: agentOptions, hub: hubOptions },
  rules,
  // Loads gRPC only where the driver is used.
  agent: async (context) => (await import('./agent.ts')).createGrpcAgent(context),
  hub: createGrpcHub,
  addon: grpcAddon,
});
