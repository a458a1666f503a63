import {
  type AddOnTemplate,
  type AddOnTemplateRegistration,
  Annotation,
  addOnTemplates,
  type ClusterManagementAddOn,
  clusterManagementAddOns,
  type InstallStrategy,
  ObjectName,
} from '@flotilla/api-types';
import { apiVersionOf } from '@flotilla/kube/meta';
import type { Manifest } from '../work/manifests.ts';
import type { PlacementName } from '../work/placed-clusters.ts';

/** What a template add-on is made of. */
export interface NewAddOn {
  readonly name: string;
  readonly version: string;
  readonly manifests: readonly Manifest[];
  readonly labels: Readonly<Record<string, string>>;
  /** The placement whose clusters get it; without one, clusters get it by `addon enable`. */
  readonly placement?: PlacementName;
  /** Whether its agent gets credentials for the hub. */
  readonly hubRegistration: boolean;
  /** The ClusterRole that its agent has in the namespace of its cluster. */
  readonly clusterRole?: string;
}

const templateKind = { group: addOnTemplates.group, resource: addOnTemplates.plural };

/** The name of the template of a version. */
export const templateName = ({ name, version }: Pick<NewAddOn, 'name' | 'version'>): string =>
  ObjectName.AddOnTemplate.of({ addOn: name, version });

/** What each cluster gets. */
export const newTemplate = (addOn: NewAddOn): AddOnTemplate => ({
  apiVersion: apiVersionOf(addOnTemplates),
  kind: addOnTemplates.kind,
  metadata: { name: templateName(addOn), labels: { ...addOn.labels } },
  spec: {
    addonName: addOn.name,
    agentSpec: {
      workload: { manifests: addOn.manifests.map((manifest) => ({ ...manifest, metadata: { ...manifest.metadata } })) },
    },
    ...(addOn.hubRegistration && { registration: [registrationOf(addOn)] }),
  },
});

const registrationOf = ({ clusterRole }: NewAddOn): AddOnTemplateRegistration => ({
  type: 'KubeClient',
  kubeClient: {
    ...(clusterRole !== undefined && {
      hubPermissions: [{ type: 'CurrentCluster', currentCluster: { clusterRoleName: clusterRole } }],
    }),
  },
});

/** What the hub offers: the template as the default, and where it is installed by itself. */
export const newClusterManagementAddOn = (addOn: NewAddOn): ClusterManagementAddOn => ({
  apiVersion: apiVersionOf(clusterManagementAddOns),
  kind: clusterManagementAddOns.kind,
  metadata: {
    name: addOn.name,
    labels: { ...addOn.labels },
    annotations: { [Annotation.AddOnLifecycle]: 'addon-manager' },
  },
  spec: {
    addOnMeta: { displayName: addOn.name },
    defaultConfigs: [{ ...templateKind, name: templateName(addOn) }],
    installStrategy: strategyWith({ type: 'Manual' }, addOn.placement),
  },
});

/** A strategy that installs on the clusters of a placement too. What is said about placements that it has stays. */
function strategyWith(strategy: InstallStrategy, placement: PlacementName | undefined): InstallStrategy {
  if (placement === undefined) return strategy;
  const { placements = [] } = strategy;
  const isListed = placements.some(
    ({ namespace, name }) => namespace === placement.namespace && name === placement.name,
  );
  return { type: 'Placements', placements: isListed ? placements : [...placements, { ...placement }] };
}

/**
 * An add-on that the hub offers, with another template as its default. Other kinds of configurations, placements and rollouts
 * that it has are the administrator's and stay.
 */
export function withTemplate(existing: ClusterManagementAddOn, addOn: NewAddOn): ClusterManagementAddOn {
  const others = (existing.spec?.defaultConfigs ?? []).filter(
    ({ group = '', resource }) => group !== templateKind.group || resource !== templateKind.resource,
  );
  return {
    ...existing,
    metadata: { ...existing.metadata, labels: { ...existing.metadata?.labels, ...addOn.labels } },
    spec: {
      ...existing.spec,
      defaultConfigs: [...others, { ...templateKind, name: templateName(addOn) }],
      installStrategy: strategyWith(existing.spec?.installStrategy ?? { type: 'Manual' }, addOn.placement),
    },
  };
}
