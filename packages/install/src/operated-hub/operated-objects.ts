import { ApiGroup, AppLabelValue } from '@flotilla/api-types';
import { debugPath } from '@flotilla/placement';
import type { KubeObject } from '@flotilla/schema';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { isOfManagedClusters } from '../agent/definitions.ts';
import type { RegistrationDrivers } from '../hub/controllers.ts';
import { ownWebhooks, type WebhookEndpoint, webhookConfigurations } from '../hub/webhook-configurations.ts';
import { metricsReader } from '../objects/metrics-reader.ts';
import { namespace } from '../objects/namespace.ts';
import { clusterRole } from '../objects/rbac.ts';
import { operatedAccess } from './access.ts';
import { hasGrpc, isOcmImage, type OperatedHub, type WebhookServerName, webhookServers } from './operated-hub.ts';
import { operatedDeployments } from './programs.ts';
import { protectionOf } from './protection.ts';
import {
  clusterProxyServices,
  grpcServiceOf,
  placementServiceOf,
  webhookPort,
  webhookService,
  webhookServiceObjects,
} from './services.ts';

/** What the cluster that is the hub has, besides definitions and webhook configurations: namespace, accounts, rights, services of webhooks. */
export const operatedHubObjects = (hub: OperatedHub, drivers: RegistrationDrivers): KubeObject[] => [
  namespace(hub.namespace),
  ...operatedAccess(hub, drivers),
  metricsReader(),
  ...(hub.features.placementDebug ? [debuggerRole()] : []),
  ...webhookServers.flatMap((server) => webhookServiceObjects(hub, server)),
  ...(hub.clusterProxy ? clusterProxyServices(hub) : []),
];

/** For users who ask how placements are scheduled. */
const debuggerRole = (): KubeObject =>
  clusterRole('open-cluster-management:placement-debugger', [
    { nonResourceURLs: [`${debugPath}/*`], verbs: ['get', 'post'] },
  ]);

/** What the cluster has that runs the programs of the hub. */
export const operatedRuntimeObjects = (hub: OperatedHub): KubeObject[] => [
  namespace(hub.namespace),
  ...(hub.features.placementDebug ? [placementServiceOf(hub, AppLabelValue.PlacementController)] : []),
  ...(hasGrpc(hub) ? [grpcServiceOf(hub)] : []),
  ...operatedDeployments(hub).flatMap((program) => [program, ...protectionOf(program)]),
];

/** The server that answers a webhook configuration, by its service. */
const serverOf = (service: string): WebhookServerName | undefined =>
  webhookServers.find((server) => webhookService[server] === service);

const imageOfServer = { registration: 'registration', work: 'work', addon: 'addonManager' } as const;

/** Whether a server answers the webhooks that OCM does not have: OCM's servers would refuse the writes that they do not know. */
export const hasOwnWebhooks = ({ images }: OperatedHub, server: WebhookServerName): boolean =>
  server !== 'addon' && !isOcmImage(images[imageOfServer[server]]);

/** The webhook configurations whose servers are named. `caBundle` is base64 of PEM. */
export function operatedWebhooks(
  hub: OperatedHub,
  caBundle: string,
  servers: readonly WebhookServerName[],
): KubeObject[] {
  const endpoint: WebhookEndpoint = {
    namespace: hub.namespace,
    portOf: (service) => webhookPort(hub, serverOf(service) ?? 'registration'),
    caBundle,
  };
  return webhookConfigurations(endpoint).filter(({ metadata, webhooks = [] }) =>
    webhooks.every(({ clientConfig }) => {
      const server = serverOf(clientConfig.service?.name ?? '');
      if (server === undefined || !servers.includes(server)) return false;
      return !isOwnWebhook(metadata?.name) || hasOwnWebhooks(hub, server);
    }),
  );
}

/** Whether OCM lacks a webhook configuration of this name. */
export const isOwnWebhook = (name = ''): boolean => ownWebhooks.has(name);

/** The definitions of a hub, with the service that converts add-ons if it is there. The kinds of operators are not among them. */
export async function operatedDefinitions(
  hub: OperatedHub,
  conversion: { readonly caBundle: string } | undefined,
): Promise<CustomResourceDefinition[]> {
  const { conversionService, customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  const { service } = conversionService(hub.namespace);
  const client = conversion && {
    ...(service && { service: { ...service, port: webhookPort(hub, 'addon') } }),
    caBundle: conversion.caBundle,
  };
  return customResourceDefinitions(client).filter((definition) => isOfHub(definition, hub));
}

const isOfHub = ({ spec, metadata }: CustomResourceDefinition, { features }: OperatedHub): boolean => {
  if (spec.group === ApiGroup.MultiCluster) return features.clusterProfile;
  return spec.group !== ApiGroup.Operator && !isOfManagedClusters({ metadata });
};
