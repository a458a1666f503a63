import { joinKey } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests } from '@flotilla/kube/kinds';
import type { AddonDeps } from '../caches/deps.ts';
import type { AgentRequest, RegistrationDeclaration } from '../definition/registration.ts';
import { addonContext, valueFor } from '../render/addon-context.ts';
import { declarationFor, scopeOf } from './agent-request.policy.ts';

/** A request with the add-on that it is for, and what its definition declares about such requests. */
export type DeclaredRequest = AgentRequest & { readonly declaration: RegistrationDeclaration };

/**
 * Reads a request that the definition declares, and whose add-on is there; undefined if one of the three is missing, or if it does not wait
 * any more. The cached one has no body.
 */
export async function agentRequestOf(
  { definition, client, caches }: AddonDeps,
  cached: CertificateSigningRequest,
  isWaiting: (request: CertificateSigningRequest) => boolean,
  signal: AbortSignal,
): Promise<DeclaredRequest | undefined> {
  const scope = scopeOf(cached);
  if (!scope || !isWaiting(cached)) return undefined;
  const addon = caches.addons.get(joinKey(scope.cluster, scope.addOn));
  const cluster = caches.clusters.get(scope.cluster);
  if (!addon || !cluster) return undefined;
  const { context } = addonContext(definition, { addon, cluster }, caches.configsFor(addon), signal);
  const declarations = (await valueFor(definition.registration, context)) ?? [];
  const declaration = declarationFor(declarations, cached);
  if (!declaration) return undefined;
  const request = await client.resource(certificateSigningRequests).find(cached.metadata?.name ?? '', { signal });
  if (!request || request.metadata?.uid !== cached.metadata?.uid || !isWaiting(request)) return undefined;
  // Its labels may have changed since.
  const { cluster: name, addOn } = scopeOf(request) ?? {};
  return name === scope.cluster && addOn === scope.addOn ? { request, context, declaration } : undefined;
}
