import type { Backend } from '../contracts/backend.ts';
import type { Call } from '../contracts/call.ts';
import type { ResourceInfo } from '../contracts/resource-info.ts';

/** The body of `serviceaccounts/token`: of another group than the resource. */
export const tokenRequestKind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } as const;

/** Made once for each description of service accounts, as whatever is kept for a kind is kept by its description. */
const infos = new WeakMap<ResourceInfo, ResourceInfo>();

function infoOf(serviceAccounts: ResourceInfo): ResourceInfo {
  const known = infos.get(serviceAccounts);
  if (known) return known;
  const info: ResourceInfo = {
    ...serviceAccounts,
    ...tokenRequestKind,
    listKind: '',
    storage: 'authentication.k8s.io/tokenrequests',
    storageVersion: tokenRequestKind.version,
    schema: { $ref: 'io.k8s.api.authentication.v1.TokenRequest' },
    subresources: [],
  };
  infos.set(serviceAccounts, info);
  return info;
}

/** The call as one on the kind of its body, for which the registry has no resource of its own. */
export function tokenRequestCall(backend: Backend, call: Call): { backend: Backend; call: Call } {
  const info = infoOf(call.info);
  const { registry } = backend;
  return {
    backend: {
      ...backend,
      registry: {
        lookup: registry.lookup,
        forKind: registry.forKind,
        setCustom: registry.setCustom,
        retire: registry.retire,
        onRetired: registry.onRetired,
        generation: registry.generation,
        all: () => [...registry.all(), info],
      },
    },
    call: { ...call, info },
  };
}
