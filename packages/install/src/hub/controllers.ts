import { addonManagerRules } from '@flotilla/addon-manager';
import {
  AppLabelValue,
  ClusterRoleName,
  HubRoleSuffix,
  NamespaceName,
  ObjectName,
  ServiceAccountName,
} from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { placementRules } from '@flotilla/placement';
import type { Driver } from '@flotilla/registration-core/contract';
import { hubNamespaceRules, hubRules } from '@flotilla/registration-core/hub';
import type { KubeObject } from '@flotilla/schema';
import { workManagerRules } from '@flotilla/work-manager';
import { deployment, podName } from '../objects/deployment.ts';
import { annotatedAccount, optionsFrom, type ProgramValues } from '../objects/program-options.ts';
import { accountSubject, boundClusterRole, boundRole, serviceAccount } from '../objects/rbac.ts';

const account = serviceAccount(NamespaceName.Hub, ServiceAccountName.RegistrationController);

/** Where the flags of the programs of a hub are that `init` was given. */
export const hubOptionsKey = { namespace: NamespaceName.Hub, name: 'cluster-manager-options' } as const;

const role = ClusterRoleName.HubComponent.of({
  clusterManager: ObjectName.ClusterManager,
  suffix: HubRoleSuffix.RegistrationController,
});

/** The auth types by which clusters may register, as far as they state the rights that they need. */
export type RegistrationDrivers = readonly Pick<Driver, 'rules'>[];

/** The service account of the controllers, with the rights that they need. */
export const controllerAccess = (drivers: RegistrationDrivers, values?: ProgramValues): KubeObject[] => [
  annotatedAccount(account, values),
  ...boundClusterRole(
    role,
    [...hubRules(drivers), ...workManagerRules(), ...placementRules(), ...addonManagerRules()],
    [accountSubject(account)],
  ),
  ...boundRole(NamespaceName.Hub, `${role}-records`, hubNamespaceRules(), [accountSubject(account)]),
];

/** The controllers as a Deployment. One replica leads, the others wait for its lease. */
export const controllerDeployment = ({
  image,
  flags = [],
}: {
  readonly image: string;
  readonly flags?: readonly string[];
}): Deployment =>
  deployment({
    name: `${ObjectName.ClusterManager}-registration-controller`,
    namespace: NamespaceName.Hub,
    app: AppLabelValue.RegistrationController,
    replicas: 2,
    serviceAccount: ServiceAccountName.RegistrationController,
    container: {
      name: 'hub-registration-controller',
      image,
      args: ['controller', '--listen=0.0.0.0:8443', ...flags],
      env: [podName],
      envFrom: optionsFrom(hubOptionsKey.name),
      ports: [{ name: 'health', containerPort: 8443 }],
    },
    probeScheme: 'HTTPS',
  });
