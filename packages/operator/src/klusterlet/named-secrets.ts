import { SecretName } from '@flotilla/api-types';
import { type CachedResource, type Informers, KubeError, keyOf } from '@flotilla/kube';
import { type Secret, secrets } from '@flotilla/kube/kinds';

const names = [
  SecretName.HubKubeconfig,
  SecretName.BootstrapHubKubeconfig,
  SecretName.ExternalManagedKubeconfig,
  SecretName.ExternalManagedKubeconfigRegistration,
  SecretName.ExternalManagedKubeconfigWork,
  SecretName.ExternalManagedKubeconfigAgent,
] as const;

/** The Secrets of klusterlets in all namespaces. The operator sees those of these names, and no others. */
export interface NamedSecrets {
  /** One cache for each name, for controllers to watch. */
  readonly caches: readonly CachedResource<Secret>[];
  get(namespace: string, name: string): Secret | undefined;
  /** Creates a Secret, or replaces the data of the one that is there. */
  write(secret: Secret): Promise<void>;
  delete(namespace: string, name: string): Promise<void>;
}

/** Watches the Secrets of klusterlets. */
export function namedSecrets(informers: Informers): NamedSecrets {
  const caches = new Map(
    names.map((name): [string, CachedResource<Secret>] => [
      name,
      informers.resource(secrets, { fieldSelector: `metadata.name=${name}` }),
    ]),
  );
  const cacheOf = (name: string): CachedResource<Secret> => {
    const cache = caches.get(name);
    if (!cache) throw new KubeError('Config', `Secrets named ${name} are not watched`);
    return cache;
  };
  return {
    caches: [...caches.values()],
    get: (namespace, name) => cacheOf(name).get(`${namespace}/${name}`),
    async write(secret) {
      const cache = cacheOf(secret.metadata?.name ?? '');
      try {
        if (!cache.has(keyOf(secret))) return void (await cache.create(secret));
      } catch (error) {
        if (!KubeError.is(error, 'AlreadyExists')) throw error;
      }
      await cache.patch(keyOf(secret), { type: 'merge', body: { data: secret.data } });
    },
    async delete(namespace, name) {
      if (cacheOf(name).has(`${namespace}/${name}`)) await cacheOf(name).delete(`${namespace}/${name}`);
    },
  };
}
