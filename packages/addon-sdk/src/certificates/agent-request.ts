import { joinKey } from '@flotilla/kube';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import type { AddonDeps } from '../caches/deps.ts';
import type { AgentRequest, RegistrationDeclaration } from '../definition/registration.ts';
import { addonContext, valueFor } from '../render/addon-context.ts';
import { declarationFor, scopeOf } from './agent-request.policy.ts';

/** A request with the add-on that it is for, and what its definition declares about such requests; undefined if either is missing. */
export async function agentRequestOf(
  { definition, caches }: AddonDeps,
  request: CertificateSigningRequest,
  signal: AbortSignal,
): Promise<(AgentRequest & { readonly declaration: RegistrationDeclaration }) | undefined> {
  const scope = scopeOf(request);
  if (!scope) return undefined;
  const addon = caches.addons.get(joinKey(scope.cluster, scope.addOn));
  const cluster = caches.clusters.get(scope.cluster);
  if (!addon || !cluster) return undefined;
  const { context } = addonContext(definition, { addon, cluster }, caches.configsFor(addon), signal);
  const declarations = (await valueFor(definition.registration, context)) ?? [];
  const declaration = declarationFor(declarations, request);
  return declaration && { request, context, declaration };
}
