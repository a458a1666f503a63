import { ApiGroup } from '@flotilla/api-types';
import { agentDefinitions } from '@flotilla/install';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import type { KlusterletConfig } from '../config/klusterlet-config.ts';

/** What a managed cluster has for its agents: the record of applied works, and claims. */
export const definitionNames = {
  works: `appliedmanifestworks.${ApiGroup.Work}`,
  claims: `clusterclaims.${ApiGroup.Cluster}`,
  properties: `clusterproperties.${ApiGroup.About}`,
} as const;

/** ClusterProperty of KEP-2149, in the version that OCM's agents read. */
const clusterProperties: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: definitionNames.properties,
    // Kubernetes protects its groups: definitions of them name the change that introduced them.
    annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/2149' },
  },
  spec: {
    group: ApiGroup.About,
    scope: 'Cluster',
    names: {
      kind: 'ClusterProperty',
      listKind: 'ClusterPropertyList',
      plural: 'clusterproperties',
      singular: 'clusterproperty',
    },
    conversion: { strategy: 'None' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A fact about a cluster, named by the object.',
            properties: {
              spec: {
                type: 'object',
                required: ['value'],
                properties: { value: { type: 'string', minLength: 1, maxLength: 131072 } },
              },
            },
          },
        },
      },
    ],
  },
};

/** The definitions that agents need on their managed cluster. */
export async function klusterletDefinitions({
  registrationGates,
}: KlusterletConfig): Promise<CustomResourceDefinition[]> {
  const names: readonly string[] = [definitionNames.works, definitionNames.claims];
  const own = (await agentDefinitions()).filter(({ metadata }) => names.includes(metadata.name ?? ''));
  return [...own, ...(registrationGates.isOn('ClusterProperty') ? [clusterProperties] : [])];
}
