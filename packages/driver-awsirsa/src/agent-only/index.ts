/** The driver for programs that are agents and nothing else: without the side of the hub, and so without the clients of IAM and EKS. */
import { RegistrationDriverName } from '@flotilla/api-types';
import type { Driver } from '@flotilla/registration-core/contract';
import { createAwsIrsaAgent } from '../agent.ts';
import { agentOptions } from '../options.ts';

/** Registration of EKS clusters by IAM roles, on the side of the agent. */
export const awsIrsaAgentDriver: Driver<typeof agentOptions, Record<never, never>> = {
  authType: RegistrationDriverName.AwsIrsa,
  options: { agent: agentOptions, hub: {} },
  agent: createAwsIrsaAgent,
};
