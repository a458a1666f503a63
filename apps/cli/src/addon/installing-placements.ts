import { type ClusterManagementAddOn, Label, type PlacementStrategy, placementDecisions } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';

/** The placements that install an add-on, in their order. */
export const installingPlacements = ({ spec }: ClusterManagementAddOn): readonly PlacementStrategy[] =>
  spec?.installStrategy?.type === 'Placements' ? (spec.installStrategy.placements ?? []) : [];

/** Those of them that select a cluster. The last one says how the add-on is configured there. */
export async function placementsSelecting(
  client: KubeClient,
  addOn: ClusterManagementAddOn,
  cluster: string,
): Promise<PlacementStrategy[]> {
  const placements = installingPlacements(addOn);
  const selects = await Promise.all(
    placements.map(async ({ namespace, name }) => {
      const labelSelector = `${Label.Placement}=${name}`;
      const { items } = await client.resource(placementDecisions).list({ namespace, labelSelector });
      return items.some(({ status }) => status?.decisions?.some(({ clusterName }) => clusterName === cluster));
    }),
  );
  return placements.filter((_, index) => selects[index]);
}
