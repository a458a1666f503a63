import { NamespaceName } from '@flotilla/api-types';
import type { GivenValues, KlusterletChartValues } from '@flotilla/install/chart';
import type { KubeClient } from '@flotilla/kube';
import { type Deployment, deployments } from '@flotilla/kube/kinds';

/** What both charts say about how the operator runs. */
type OperatorValues = Pick<
  GivenValues<KlusterletChartValues>,
  | 'replicaCount'
  | 'enableSyncLabels'
  | 'podSecurityContext'
  | 'securityContext'
  | 'resources'
  | 'nodeSelector'
  | 'tolerations'
  | 'affinity'
>;

/** The Deployment of an operator; undefined if there is none. */
export const findOperator = (client: KubeClient, name: string): Promise<Deployment | undefined> =>
  client.resource(deployments).find(`${NamespaceName.Operator}/${name}`);

/** How an operator runs now, as values: what was chosen once is not changed by an upgrade. */
export function liveOperatorValues(deployment: Deployment | undefined): OperatorValues {
  const { replicas, template } = deployment?.spec ?? {};
  const { containers = [], securityContext, nodeSelector, tolerations, affinity } = template?.spec ?? {};
  const [container] = containers;
  return {
    ...(replicas !== undefined && { replicaCount: replicas }),
    ...(container?.args?.includes('--enable-sync-labels') && { enableSyncLabels: true }),
    ...(securityContext && { podSecurityContext: securityContext }),
    ...(container?.securityContext && { securityContext: container.securityContext }),
    ...(container?.resources && { resources: container.resources }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
  } as OperatorValues;
}
