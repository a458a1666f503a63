import { ApiGroup, RegistrationDriverName } from '@flotilla/api-types';
import type { OptionValues } from '@flotilla/process';
import { declaredAuthType, type HubDriver, type HubDriverContext } from '@flotilla/registration-core/contract';
import { createEksClient, createIamClient } from './aws-clients.ts';
import { declaredIdentity } from './cluster-identity.ts';
import { readHubOptions } from './hub-options/index.ts';
import { clusterGroup } from './names.ts';
import type { hubOptions } from './options.ts';
import { externalPermissions } from './permissions/external-permissions.ts';

/** Creates a role and an access entry for each accepted cluster that comes by its IAM role. */
export function createAwsIrsaHub(context: HubDriverContext<OptionValues<typeof hubOptions>>): HubDriver {
  const { options, gates, client, clock } = context;
  const { hub, tags, isAutoApproved } = readHubOptions(options);
  const services = { iam: createIamClient(hub.region), eks: createEksClient(hub.region) };
  return {
    controllers: [],
    accepts(cluster) {
      const declared = declaredIdentity(cluster);
      const authType = declaredAuthType(cluster) ?? (declared && RegistrationDriverName.AwsIrsa);
      if (authType !== RegistrationDriverName.AwsIrsa) return 'not mine';
      return gates.ManagedClusterAutoApproval && declared && isAutoApproved(declared.arn) ? 'accept' : 'refuse';
    },
    subjects: (cluster) => [{ kind: 'Group', apiGroup: ApiGroup.Rbac, name: clusterGroup(cluster) }],
    clusterRules: () => [],
    external: externalPermissions({ hub, tags, services, client, clock }),
    close() {
      services.iam.destroy();
      services.eks.destroy();
    },
  };
}
