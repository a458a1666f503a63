import { ApiGroup, AppLabelValue, type ClusterManager, ObjectName } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';
import type { RegistrationDrivers } from '../hub/controllers.ts';
import type { Manifests } from '../manifests.ts';
import { bootstrapAccess, bootstrapUsers } from './bootstrap-access.ts';
import { clusterManagerOperatorRules } from './cluster-manager-rules.ts';
import { clusterManagerDefaults } from './defaults.ts';
import { pullSecret } from './image-credentials.ts';
import { type ChartRelease, imageOf } from './images.ts';
import { mergeValues, withoutEmpty } from './merge-values.ts';
import { hubMonitoring } from './monitoring.ts';
import { operatorObjects } from './operator-program.ts';
import type { ClusterManagerChartValues, GivenValues } from './values.ts';

/** A release of the chart `cluster-manager`. */
export interface ClusterManagerRelease extends ChartRelease {
  /** Whose rights the operator can grant to a hub. */
  readonly drivers: RegistrationDrivers;
}

/** The definition that the chart brings; the operator brings those of a hub. */
export async function clusterManagerDefinitions(): Promise<Manifests['definitions']> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  return customResourceDefinitions().filter(({ metadata }) => metadata.name.startsWith('clustermanagers.'));
}

/** What the chart `cluster-manager` installs with these values, without Helm. Charts of both ways are compared by tests. */
export function clusterManagerObjects(
  given: GivenValues<ClusterManagerChartValues>,
  release: ClusterManagerRelease,
): KubeObject[] {
  const values = mergeValues(clusterManagerDefaults, given);
  const { images } = values;
  const { name, container, command } = {
    name: AppLabelValue.ClusterManager,
    container: 'registration-operator',
    command: 'hub',
  } as const;
  const image = imageOf(images, release, 'operator', images.overrides.operatorImage);
  const rules = clusterManagerOperatorRules(release.drivers);
  const imageFlags = [`--hub-image=${imageOf(images, release, 'hub', '')}`];
  const { imagePullPolicy } = images;
  return [
    ...bootstrapAccess(values, release.drivers),
    ...(images.imageCredentials.createImageCredentials ? [pullSecret(name, images)] : []),
    ...operatorObjects({ name, container, command, image, imageFlags, rules, imagePullPolicy }, values),
    ...(values.clusterManager.create ? [clusterManagerOf(values, release)] : []),
    ...hubMonitoring(values.monitoring),
  ];
}

function clusterManagerOf(values: ClusterManagerChartValues, release: ChartRelease): ClusterManager {
  const { images, clusterManager } = values;
  const { create: _, mode, registrationConfiguration, ...configurations } = clusterManager;
  const image = (override: string) => imageOf(images, release, 'hub', override);
  const approved = [...(registrationConfiguration.autoApproveUsers ?? []), ...bootstrapUsers(values)];
  return {
    apiVersion: `${ApiGroup.Operator}/v1`,
    kind: 'ClusterManager',
    metadata: { name: ObjectName.ClusterManager },
    spec: {
      registrationImagePullSpec: image(images.overrides.registrationImage),
      workImagePullSpec: image(images.overrides.workImage),
      placementImagePullSpec: image(images.overrides.placementImage),
      addOnManagerImagePullSpec: image(images.overrides.addOnManagerImage),
      deployOption: { mode },
      ...withoutEmpty({
        registrationConfiguration: withoutEmpty({
          ...registrationConfiguration,
          autoApproveUsers: [...new Set(approved)],
        }),
        ...configurations,
      }),
    },
  };
}
