import { ClusterProxyApi, ConfigMapName, SecretName, ServiceAccountName } from '@flotilla/api-types';
import { type CachedResource, type Informers, KubeError } from '@flotilla/kube';
import { type ConfigMap, configMaps, type Secret, secrets } from '@flotilla/kube/kinds';

const accounts = [
  ServiceAccountName.RegistrationController,
  ServiceAccountName.RegistrationWebhook,
  ServiceAccountName.WorkWebhook,
  ServiceAccountName.AddOnWebhook,
  ServiceAccountName.PlacementController,
  ServiceAccountName.WorkController,
  ServiceAccountName.AddOnManagerController,
  ServiceAccountName.GrpcServer,
  ServiceAccountName.ClusterProxy,
  ServiceAccountName.PushAgents,
];

/** The kubeconfigs of programs in hosted mode. */
export const kubeconfigSecrets: readonly string[] = accounts.map((serviceAccount) =>
  SecretName.ServiceAccountKubeconfig.of({ serviceAccount }),
);

/** Serving certificates of webhook servers, of the gRPC server and of the cluster proxy. */
export const servingSecrets: readonly string[] = [
  SecretName.RegistrationWebhookServingCert,
  SecretName.WorkWebhookServingCert,
  SecretName.AddOnWebhookServingCert,
  SecretName.GrpcServerServingCert,
  ClusterProxyApi.servingSecret,
];

/** Secrets that are copied from the namespace of the operator. */
export const copiedSecrets: readonly string[] = [SecretName.ImagePullCredentials, SecretName.WorkDriverConfig];

/** Every Secret that the operator reads, by name: it may read no others. */
const watchedSecrets: readonly string[] = [
  SecretName.Signer,
  ...servingSecrets,
  ...copiedSecrets,
  ...kubeconfigSecrets,
  SecretName.ExternalHubKubeconfig,
];

/** Every ConfigMap that it reads. */
const watchedConfigMaps: readonly string[] = [ConfigMapName.CaBundle, ConfigMapName.TlsProfile];

/** Caches of objects with certain names in any namespace, so that RBAC can restrict the operator to them. */
export interface NamedObjects {
  secret(name: string): CachedResource<Secret>;
  configMap(name: string): CachedResource<ConfigMap>;
  readonly all: readonly (CachedResource<Secret> | CachedResource<ConfigMap>)[];
}

/** Watches them. */
export function createNamedObjects(informers: Informers): NamedObjects {
  const selected = (name: string) => ({ fieldSelector: `metadata.name=${name}` });
  const secretCaches = new Map(watchedSecrets.map((name) => [name, informers.resource(secrets, selected(name))]));
  const mapCaches = new Map(watchedConfigMaps.map((name) => [name, informers.resource(configMaps, selected(name))]));
  const found = <T>(cache: T | undefined, name: string): T => {
    if (!cache) throw new KubeError('Config', `this operator does not watch ${name}`);
    return cache;
  };
  return {
    secret: (name) => found(secretCaches.get(name), name),
    configMap: (name) => found(mapCaches.get(name), name),
    all: [...secretCaches.values(), ...mapCaches.values()],
  };
}

/** Makes a Secret or ConfigMap have this content, and writes nothing if it has it. */
export async function ensureData<T extends Secret | ConfigMap>(cache: CachedResource<T>, wanted: T): Promise<void> {
  const { namespace = '', name = '' } = wanted.metadata ?? {};
  const live = cache.get(`${namespace}/${name}`);
  if (!live) {
    await cache.create(wanted);
    return;
  }
  const labels = { ...live.metadata?.labels, ...wanted.metadata?.labels };
  const isSame =
    JSON.stringify(sorted(live.data)) === JSON.stringify(sorted(wanted.data)) &&
    JSON.stringify(sorted(live.metadata?.labels)) === JSON.stringify(sorted(labels));
  if (!isSame) await cache.replace({ ...live, data: wanted.data, metadata: { ...live.metadata, labels } });
}

const sorted = (data: Readonly<Record<string, string>> | undefined): [string, string][] =>
  Object.entries(data ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));

/** Deletes one that is there. */
export async function ensureGone<T extends Secret | ConfigMap>(
  cache: CachedResource<T>,
  key: string,
): Promise<boolean> {
  const live = cache.get(key);
  if (live && !live.metadata?.deletionTimestamp) await cache.delete(key);
  return live === undefined;
}
