import { RegistrationDriverName } from '@flotilla/api-types';
import { defineDriver } from '@flotilla/registration-core/contract';
import { createAwsIrsaAgent } from './agent.ts';
import { agentOptions, hubOptions } from './options.ts';

/** Registration of EKS clusters by IAM roles, as OCM's `awsirsa`. */
export const awsIrsaDriver = defineDriver({
  authType: RegistrationDriverName.AwsIrsa,
  options: { agent: agentOptions, hub: hubOptions },
  agent: createAwsIrsaAgent,
  // Loads the AWS SDK only where the driver is used.
  hub: async (context) => (await import('./hub.ts')).createAwsIrsaHub(context),
});

export { type ClusterArn, clusterArnOfFlag, parseClusterArn } from './arn.ts';
export { hubRoleArn, identityCreatorRoleArn, managedRoleArn, roleSuffix } from './names.ts';
