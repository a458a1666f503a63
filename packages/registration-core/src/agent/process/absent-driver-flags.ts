import { defineOptions } from '@flotilla/process';

const ofDriver = (driver: string) =>
  ({
    type: 'string',
    group: 'Registration',
    deprecated: `only the driver ${driver} reads it, which --registration-auth cannot choose here`,
    description: 'Ignored; there because deployments of OCM may have it.',
  }) as const;

/**
 * The flags of OCM's drivers that this agent need not have. OCM itself reads them only if their driver is chosen, and choosing
 * one that is not there is refused. A driver that is there brings its own.
 */
export const absentDriverFlags = defineOptions({
  hubClusterArn: ofDriver('awsirsa'),
  managedClusterArn: ofDriver('awsirsa'),
  managedClusterRoleSuffix: ofDriver('awsirsa'),
  grpcBootstrapConfig: ofDriver('grpc'),
  grpcConfig: ofDriver('grpc'),
  addonTokenExpirationSeconds: {
    type: 'integer',
    group: 'Registration',
    deprecated: 'only the driver token reads it, which --addon-kubeclient-registration-auth cannot choose here',
    description: 'Ignored; there because deployments of OCM have it.',
  },
});
