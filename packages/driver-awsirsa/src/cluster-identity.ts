import { Annotation, type ManagedCluster } from '@flotilla/api-types';
import { type ClusterArn, clusterArnForm, parseClusterArn, partitionError } from './arn.ts';
import { roleSuffix } from './names.ts';

/** What a cluster says about itself for this auth type. */
export interface DeclaredIdentity {
  readonly arn: string;
  readonly suffix: string;
}

/** An identity that fits the hub. */
export interface CheckedIdentity extends DeclaredIdentity {
  readonly managed: ClusterArn;
}

/** The annotations of a cluster; undefined if it lacks one of the two: then it registers in another way. */
export function declaredIdentity({ metadata }: ManagedCluster): DeclaredIdentity | undefined {
  const arn = metadata?.annotations?.[Annotation.ManagedClusterArn];
  const suffix = metadata?.annotations?.[Annotation.ManagedClusterIamRoleSuffix];
  return arn === undefined || suffix === undefined ? undefined : { arn, suffix };
}

/** An agent without credentials can create its ManagedCluster, and not change it. */
const thenDelete = 'then delete this ManagedCluster: the agent creates it again';

/** Checks an identity against the hub; a text says what is wrong with it. */
export function checkIdentity(hub: ClusterArn, { arn, suffix }: DeclaredIdentity): CheckedIdentity | string {
  const managed = parseClusterArn(arn);
  if (!managed) {
    return `annotation ${Annotation.ManagedClusterArn} is "${arn}", which is not an ARN of the form ${clusterArnForm}. Correct --managed-cluster-arn of the agent, ${thenDelete}`;
  }
  const expected = roleSuffix(hub, managed);
  if (suffix !== expected) {
    return (
      `HubClusterARN provided during join by ManagedCluster ${managed.name} is different from the current hub cluster: ` +
      `the role suffix is "${suffix}", and "${expected}" for hub ${hub.text}. Correct --hub-cluster-arn of the agent, ${thenDelete}`
    );
  }
  return partitionError(hub, managed) ?? { arn, suffix, managed };
}
