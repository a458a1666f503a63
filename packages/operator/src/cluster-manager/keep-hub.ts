import { ClusterProxyApi, Label, SecretName, ServiceName } from '@flotilla/api-types';
import {
  convertedDefinitions,
  hasOwnWebhooks,
  isOwnWebhook,
  type OperatedHub,
  operatedApiServices,
  operatedDefinitions,
  operatedHubObjects,
  operatedRuntimeObjects,
  operatedWebhooks,
  type WebhookServerName,
  webhookServers,
  webhookService,
} from '@flotilla/install';
import type { Clock } from '@flotilla/kube';
import { type APIService, apiServices, deployments, services } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { joinKept, type KeptObjects, type KeptOwner, keepDefinitions } from '../apply/index.ts';
import { defaultLifetimes, type KeptCertificates, keepCertificates } from './certificates.ts';
import { isServing, type ObservedProgram } from './cluster-manager.status.ts';
import { type HubCluster, renderedKinds } from './connections.ts';
import { copySecrets } from './copied-secrets.ts';
import { keepKubeconfigs } from './hosted-kubeconfigs.ts';
import type { NamedObjects } from './named-objects.ts';
import { phase } from './phase.ts';
import type { HubOperatorSettings, OperatedDriver } from './settings.ts';

/** One hub, and where its objects are. */
export interface HubScope {
  readonly hub: OperatedHub;
  readonly owner: KeptOwner;
  /** The cluster that is the hub. */
  readonly cluster: HubCluster;
  /** The cluster that runs its programs: the same one, unless it is hosted. */
  readonly management: HubCluster;
  readonly objects: NamedObjects;
  readonly settings: HubOperatorSettings;
  /** Names for the certificate of the gRPC server besides that of its Service. Undefined: it waits for its address. */
  readonly grpcHosts: readonly string[] | undefined;
  readonly clock: Clock;
}

/** How far a hub is. */
export interface KeptHub {
  readonly kept: KeptObjects;
  /** Webhook servers that no pod answers for yet: their configurations wait, because nobody could write while they fail. */
  readonly waitsFor: readonly WebhookServerName[];
  /** When a certificate or token is to be renewed. */
  readonly renewAt: number;
}

/** The labels of all that is made for a ClusterManager. */
const labelsOf = ({ owner }: HubScope): Record<string, string> => ({
  ...owner.labels,
  [Label.CreatedByClusterManager]: owner.name,
});

/** The Deployments of a hub as they are. */
export const observedPrograms = ({ hub, management }: Pick<HubScope, 'hub' | 'management'>): ObservedProgram[] =>
  operatedRuntimeObjects(hub)
    .filter(({ kind }) => kind === deployments.kind)
    .map(({ metadata }) => ({
      name: metadata?.name ?? '',
      live: management.keeper.get(deployments, `${hub.namespace}/${metadata?.name}`),
    }));

/** Makes a hub as its ClusterManager describes it. Each step needs those before it; a failed one throws `PhaseError`. */
export async function keepHub(scope: HubScope): Promise<KeptHub> {
  const { hub, cluster, management, objects, owner, clock } = scope;
  await phase('HubResourceApplyFailed', () => keepNamespaces(scope));
  const certificates = await phase('CertificateRotationFailed', () => keepServing(scope));
  const caBundle = Buffer.from(certificates.bundle).toString('base64');
  const serving = webhookServers.filter((server) => isReachable(scope, server));
  const definitions = await phase('CRDApplyFailed', () => keepHubDefinitions(scope, caBundle, serving));
  const labels = labelsOf(scope);
  await phase('HubResourceApplyFailed', () => copySecrets(objects, hub, { from: scope.settings.namespace, labels }));
  const ofHub = operatedHubObjects(hub, driversOf(scope));
  const hubObjects = await phase('HubResourceApplyFailed', () => cluster.keeper.apply(owner, ofHub));
  const tokensAt = hub.hosted
    ? await phase('ServiceAccountSyncFailed', () => keepKubeconfigs({ hub, cluster, objects, labels, clock }))
    : Number.POSITIVE_INFINITY;
  // The namespace of both clusters was applied above; it is listed once.
  const ofRuntime = operatedRuntimeObjects(hub).filter(({ kind }) => hub.hosted || kind !== 'Namespace');
  const runtime = await phase('RuntimeResourceApplyFailed', () => management.keeper.apply(owner, ofRuntime));
  const unanswered = serving.filter((server) => !isAnswered(scope, server));
  const guards = operatedWebhooks(hub, caBundle, serving).filter(
    (guard) => !unanswered.some((server) => isOwnWebhookOf(hub, server, guard)),
  );
  const webhooks = await phase('WebhookApplyFailed', () => cluster.keeper.apply(owner, guards));
  const served = isProxyReachable(scope) ? operatedApiServices(hub, caBundle) : [];
  const apis = await phase('HubResourceApplyFailed', () => cluster.keeper.apply(owner, served));
  await phase('HubResourceApplyFailed', () => removeOthers(scope, [...ofHub, ...guards, ...served], ofRuntime));
  return {
    kept: joinKept(definitions, hubObjects, runtime, webhooks, apis),
    waitsFor: webhookServers.filter(
      (server) => hasAddress(hub, server) && (!serving.includes(server) || unanswered.includes(server)),
    ),
    renewAt: Math.min(certificates.renewAt, tokensAt),
  };
}

const driversOf = ({ hub, settings }: HubScope): OperatedDriver[] =>
  settings.drivers.filter(({ authType }) => hub.authTypes.includes(authType));

async function keepNamespaces({ hub, owner, cluster, management }: HubScope): Promise<void> {
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: hub.namespace } };
  for (const each of new Set([cluster, management])) await each.keeper.apply(owner, [namespace]);
}

/** Certificates are where the programs are that serve with them. */
function keepServing(scope: HubScope): Promise<KeptCertificates> {
  const { hub, objects, clock, settings, grpcHosts } = scope;
  const { namespace } = hub;
  const hostsOf = (server: WebhookServerName): string[] => {
    const { external } = hub.webhooks[server];
    return [`${webhookService[server]}.${namespace}.svc`, ...(external ? [external.address] : [])];
  };
  const grpcService = `${ServiceName.GrpcServer.of({ clusterManager: hub.name })}.${namespace}.svc`;
  return keepCertificates({
    objects,
    clock,
    namespace,
    labels: labelsOf(scope),
    lifetimes: settings.lifetimes ?? defaultLifetimes,
    servers: {
      [SecretName.RegistrationWebhookServingCert]: hostsOf('registration'),
      [SecretName.WorkWebhookServingCert]: hostsOf('work'),
      [SecretName.AddOnWebhookServingCert]: hostsOf('addon'),
      ...(hub.grpc && { [SecretName.GrpcServerServingCert]: grpcHosts && [grpcService, ...grpcHosts] }),
      ...(hub.clusterProxy && { [ClusterProxyApi.servingSecret]: [`${ClusterProxyApi.service}.${namespace}.svc`] }),
    },
  });
}

/** In hosted mode OCM's ClusterManager has no address for the webhook of add-ons. */
const hasAddress = ({ hosted, webhooks }: OperatedHub, server: WebhookServerName): boolean =>
  !hosted || webhooks[server].external !== undefined;

/**
 * Whether the API server may be told to call a webhook server: once a pod of it answers. It stays so when the pods go later: what the
 * webhooks guard is not left open by a failure.
 */
function isReachable(scope: HubScope, server: WebhookServerName): boolean {
  const { hub, cluster, management, owner } = scope;
  if (!hasAddress(hub, server)) return false;
  const name = `${hub.name}-${server}-webhook`;
  const live = management.keeper.get(deployments, `${hub.namespace}/${name}`);
  if (isServing({ name, live })) return true;
  if (server === 'addon') return convertedDefinitions().some((one) => isConverted(cluster, one));
  return operatedWebhooks(hub, '', [server]).some(
    (guard) => cluster.keeper.find(guard)?.metadata?.labels?.[Label.CreatedByClusterManager] === owner.name,
  );
}

const isOwnWebhookOf = (hub: OperatedHub, server: WebhookServerName, { metadata }: KubeObject): boolean =>
  isOwnWebhook(metadata?.name) &&
  operatedWebhooks(hub, '', [server]).some((own) => own.metadata?.name === metadata?.name);

/**
 * Whether the pods of a server know the webhooks that OCM does not have. Those of an earlier release refuse writes that they do not know,
 * so that a new configuration waits until they are replaced. One that exists stays during a rollout.
 */
const isAnswered = (scope: HubScope, server: WebhookServerName): boolean =>
  isRolledOut(scope, server) ||
  operatedWebhooks(scope.hub, '', [server])
    .filter(({ metadata }) => isOwnWebhook(metadata?.name))
    .every((own) => scope.cluster.keeper.find(own) !== undefined);

/** Whether no pod of an earlier image is left. */
function isRolledOut({ hub, management }: HubScope, server: WebhookServerName): boolean {
  if (!hasOwnWebhooks(hub, server)) return true;
  const live = management.keeper.get(deployments, `${hub.namespace}/${hub.name}-${server}-webhook`);
  const { spec, status, metadata } = live ?? {};
  return (
    spec?.template.spec?.containers[0]?.image === hub.images[server === 'work' ? 'work' : 'registration'] &&
    status?.observedGeneration === metadata?.generation &&
    (status?.updatedReplicas ?? 0) >= (spec?.replicas ?? 1) &&
    (status?.replicas ?? 0) <= (status?.updatedReplicas ?? 0)
  );
}

/** Whether a pod of the cluster proxy answers, or did: an API without a server would hold up the deletion of namespaces. */
const isProxyReachable = (scope: HubScope): boolean =>
  isProxyServing(scope) || operatedApiServices(scope.hub, '').some((api) => scope.cluster.keeper.find(api));

/** Whether a pod of the cluster proxy answers. */
export function isProxyServing({ hub, management }: Pick<HubScope, 'hub' | 'management'>): boolean {
  const name = `${hub.name}-cluster-proxy`;
  return isServing({ name, live: management.keeper.get(deployments, `${hub.namespace}/${name}`) });
}

/** The API by which clusters are reached, as the hub has it. */
export const observedProxyApi = ({ hub, cluster }: Pick<HubScope, 'hub' | 'cluster'>): APIService | undefined =>
  hub.clusterProxy && cluster.keeper.get(apiServices, ClusterProxyApi.apiService);

const isConverted = ({ definitions }: HubCluster, name: string): boolean =>
  definitions.get(name)?.spec.conversion?.strategy === 'Webhook';

async function keepHubDefinitions(
  scope: HubScope,
  caBundle: string,
  serving: readonly WebhookServerName[],
): Promise<KeptObjects> {
  const labels = labelsOf(scope);
  const { definitions } = scope.cluster;
  const rendered = await operatedDefinitions(scope.hub, serving.includes('addon') ? { caBundle } : undefined);
  const labelled: CustomResourceDefinition[] = [];
  for (const one of rendered) {
    const live = definitions.get(one.metadata.name) ?? (await definitions.find(one.metadata.name));
    labelled.push({ ...one, spec: specToKeep(live, one), metadata: { ...one.metadata, labels } });
  }
  return keepDefinitions(definitions, labelled);
}

/** Of a definition with a version that ours lacks, the spec stays: objects may be stored in it. OCM's add-ons have one until they are converted. */
function specToKeep(
  live: CustomResourceDefinition | undefined,
  rendered: CustomResourceDefinition,
): CustomResourceDefinition['spec'] {
  const isOurs = ({ name }: { name: string }) => rendered.spec.versions.some((version) => version.name === name);
  return live && !live.spec.versions.every(isOurs) ? live.spec : rendered.spec;
}

/** Parts that were switched off. */
async function removeOthers(
  { hub, owner, cluster, management }: HubScope,
  ofHub: readonly KubeObject[],
  ofRuntime: readonly KubeObject[],
): Promise<void> {
  if (!hub.hosted) {
    await management.keeper.removeOthers(owner.name, [...ofHub, ...ofRuntime], renderedKinds);
    return;
  }
  await cluster.keeper.removeOthers(owner.name, ofHub, renderedKinds);
  await management.keeper.removeOthers(owner.name, ofRuntime, renderedKinds);
}

/** Where a load balancer of the cloud answers for the gRPC server; none while it has no address. */
export const balancedHosts = ({ management, hub }: Pick<HubScope, 'management' | 'hub'>): string[] => {
  const name = ServiceName.GrpcServer.of({ clusterManager: hub.name });
  const service = management.keeper.get(services, `${hub.namespace}/${name}`);
  const [first] = service?.status?.loadBalancer?.ingress ?? [];
  return [first?.ip, first?.hostname].flatMap((host) => host || []);
};
