import { ObjectName } from '@flotilla/api-types';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import { configDefinitions } from '../definition/config-definitions.ts';
import type { Manifest } from '../definition/manifest.ts';
import { type ControllerPlace, controllerName, rbacManifests } from './rbac-manifests.ts';

/** How an add-on is installed on a hub. */
export interface InstallInput extends ControllerPlace {
  /** Image whose program is that of `createAddonCli`. */
  readonly image: string;
}

/** All that a hub needs for an add-on: kinds of its own, what it offers, and the controller with its rights. */
export function installManifests(definition: AddonDefinition, input: InstallInput): Manifest[] {
  const { name, configs = {} } = definition;
  const controller = controllerName(definition);
  const { namespace, image } = input;
  const labels = { app: controller };
  const defaultConfigs = Object.values(configs).map(({ type }) => ({
    group: type.group,
    resource: type.plural,
    name: ObjectName.NoDefaultConfig,
  }));
  return [
    ...configDefinitions(definition),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'addon.open-cluster-management.io/v1beta1',
      kind: 'ClusterManagementAddOn',
      metadata: { name },
      spec: { ...(defaultConfigs.length > 0 && { defaultConfigs }), installStrategy: { type: 'Manual' } },
    },
    ...rbacManifests(definition, input),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: controller, namespace, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { serviceAccountName: controller, containers: [container(image)] } },
      },
    },
  ];
}

const container = (image: string) => ({
  name: 'controller',
  image,
  args: ['controller', '--listen=0.0.0.0:8443'],
  ports: [{ name: 'https', containerPort: 8443 }],
  livenessProbe: { httpGet: { path: '/livez', port: 'https', scheme: 'HTTPS' } },
  readinessProbe: { httpGet: { path: '/readyz', port: 'https', scheme: 'HTTPS' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
  },
});
