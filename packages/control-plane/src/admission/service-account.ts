import { type Clock, joinKey } from '@flotilla/kube';
import type { Pod, ServiceAccount } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { AdmissionPlugin, AdmissionRequest } from '../contracts/admission.ts';
import type { Storage } from '../contracts/storage.ts';
import { forbidden } from '../errors/api-errors.ts';

type PodSpec = NonNullable<Pod['spec']>;

/** How long a pod waits for the default service account of a namespace that was created just now. */
const defaultAccountWaitMs = 1000;
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface ServiceAccountOptions {
  readonly storage: Pick<Storage, 'get' | 'subscribe'>;
  readonly clock: Clock;
  readonly newSuffix: () => string;
}

/** Every pod has a service account, which must be there, and the account's token as a volume unless that is declined. */
export const serviceAccount = (options: ServiceAccountOptions): AdmissionPlugin => ({
  name: 'ServiceAccount',
  handles: ({ info, operation, subresource }) =>
    info.storage === '/pods' && operation === 'CREATE' && subresource === undefined,
  async mutate(request): Promise<KubeObject> {
    const pod: Pod = request.object ?? {};
    const serviceAccountName = pod.spec?.serviceAccountName || 'default';
    const account = await find(options, request, serviceAccountName);
    const spec: PodSpec = {
      ...(pod.spec ?? { containers: [] }),
      serviceAccountName,
      serviceAccount: serviceAccountName,
    };
    if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
      spec.imagePullSecrets = account.imagePullSecrets.map(({ name }) => ({ ...(name !== undefined && { name }) }));
    }
    const mounts = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
    const mounted: Pod = { ...pod, spec: mounts ? withToken(spec, options.newSuffix) : spec };
    return mounted;
  },
});

async function find(
  { storage, clock }: ServiceAccountOptions,
  { info, name, namespace = '' }: AdmissionRequest,
  account: string,
): Promise<ServiceAccount> {
  const key = joinKey(namespace, account);
  const find = (): ServiceAccount | undefined => storage.get('/serviceaccounts', key);
  const found = find() ?? (account === 'default' ? await appears(storage, clock, key) : undefined);
  if (found) return found;
  throw forbidden(
    info,
    name,
    `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`,
  );
}

function appears(storage: Pick<Storage, 'subscribe'>, clock: Clock, key: string): Promise<ServiceAccount | undefined> {
  return new Promise((resolve) => {
    const finish = (account?: KubeObject): void => {
      cancel();
      unsubscribe();
      resolve(account);
    };
    const cancel = clock.schedule(defaultAccountWaitMs, () => finish());
    const unsubscribe = storage.subscribe('/serviceaccounts', (change) => {
      if (change.key === key && change.type !== 'DELETED') finish(change.object);
    });
  });
}

/** A volume with a token that is renewed, the cluster's CA and the namespace, where client libraries look for them. */
function withToken(spec: PodSpec, newSuffix: () => string): PodSpec {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const hasMount = (container: PodSpec['containers'][number]): boolean =>
    container.volumeMounts?.some(({ mountPath }) => mountPath === tokenPath) ?? false;
  if (containers.every(hasMount)) return spec;
  const present = spec.volumes?.find((volume) => volume.name.startsWith('kube-api-access-'));
  const name = present?.name ?? `kube-api-access-${newSuffix()}`;
  const mount = { name, readOnly: true, mountPath: tokenPath };
  const withMount = (container: PodSpec['containers'][number]) =>
    hasMount(container) ? container : { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
  return {
    ...spec,
    ...(!present && {
      volumes: [...(spec.volumes ?? []), { name, projected: { sources: tokenSources(), defaultMode: 0o644 } }],
    }),
    containers: (spec.containers ?? []).map(withMount),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withMount) }),
  };
}

const tokenSources = () => [
  { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  {
    downwardAPI: {
      items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
    },
  },
];
