import { nameSyntax } from '@flotilla/schema';
import {
  bytes,
  defineKind,
  listByKey,
  listOf,
  object,
  optional,
  type Resource,
  rootOf,
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { addOnDeploymentConfigs } from '../../resources.ts';
import { nodePlacement } from '../../schema/node-placement.ts';
import { resourceRequirements } from '../../schema/resource-requirements.ts';

const variable = object('A variable for the add-on’s manifests.', {
  name: text('Name of the variable.', { maxLength: 255, pattern: '^[a-zA-Z_][_a-zA-Z0-9]*$' }),
  value: optional(text('Value of the variable.', { maxLength: 1024 })),
});

const registry = object('A mirror for images.', {
  mirror: text('Registry to pull from.'),
  source: optional(text('Registry that is replaced; every image when empty.')),
});

const proxyConfig = object('Proxy that the agent uses to reach the hub.', {
  httpProxy: optional(text('Proxy for http requests.')),
  httpsProxy: optional(text('Proxy for https requests.')),
  caBundle: optional(bytes('PEM certificates that the proxy’s certificate is checked against.')),
  noProxy: optional(text('Hosts and networks that are reached directly, separated by commas.')),
});

const containerResources = object('Resources of some containers.', {
  containerID: text('Which containers: <resource>:<workload>:<container>, each of them * for any.', {
    pattern: '^(deployments|daemonsets|statefulsets|replicasets|jobs|cronjobs|pods|\\*):.+:.+$',
  }),
  resources: resourceRequirements('Requests and limits of the containers.'),
});

/** Both versions have the same fields. */
export const addOnDeploymentConfigSpec = object('How the agents are deployed.', {
  customizedVariables: optional(listByKey('Variables for the add-on’s manifests.', ['name'], variable)),
  nodePlacement: optional(nodePlacement('Nodes that the agents may run on.')),
  registries: optional(listOf('Mirrors for images; the last match wins.', registry)),
  proxyConfig: optional(proxyConfig),
  agentInstallNamespace: optional(
    text('Namespace of the agents on the managed cluster; empty leaves the choice to the add-on.', {
      default: 'open-cluster-management-agent-addon',
      maxLength: 63,
      pattern: `^(${nameSyntax.dnsLabel})?$`,
    }),
  ),
  resourceRequirements: optional(listByKey('Resources by container.', ['containerID'], containerResources)),
});

const schema = rootOf('How the agents of an add-on are deployed on managed clusters.', {
  spec: addOnDeploymentConfigSpec,
});

/** How the agents are deployed. */
export type AddOnDeploymentConfigSpec = Static<typeof addOnDeploymentConfigSpec>;
/** How the agents of an add-on are deployed on managed clusters. */
export interface AddOnDeploymentConfig extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const addOnDeploymentConfigKind = defineKind({
  resource: addOnDeploymentConfigs,
  schema,
  storage: false,
  subresources: 'none',
});
