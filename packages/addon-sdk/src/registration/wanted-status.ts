import type { AddOnRegistration, ManagedClusterAddOn } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import type { AddonDeps } from '../caches/deps.ts';
import { installNamespaceFor, type ResolvedContext, valueFor } from '../render/addon-context.ts';
import { applyPermissions } from './apply-permissions.ts';
import { registrationsFor, subjectsOf } from './registration.policy.ts';
import { nilRegistration, permissionApplied, permissionFailed, permissionPending } from './registration.status.ts';

/** What the status of an add-on shall say about its registration. */
export interface WantedStatus {
  readonly condition: ConditionInput;
  readonly namespace: string | undefined;
  readonly registrations: readonly AddOnRegistration[];
  /** What must be tried again although it is in the condition. */
  readonly error?: unknown;
}

/** Gives the agent of an add-on its permissions, and says what came of it. What the author's functions throw is a condition, too. */
export async function wantedStatus(
  deps: AddonDeps,
  addon: ManagedClusterAddOn,
  { context, problems }: ResolvedContext,
): Promise<WantedStatus> {
  const { definition } = deps;
  const scope = { cluster: addon.metadata?.namespace ?? '', addOn: definition.name };
  let { namespace, registrations = [] } = addon.status ?? {};
  const refused = problems.find(({ kind }) => kind === 'refused');
  // Nothing is given, and nothing is taken back, by what the hub did not choose.
  if (refused) {
    const error = new Error(refused.message);
    return { condition: permissionFailed(error), namespace, registrations, error };
  }
  try {
    const declared = (await valueFor(definition.registration, context)) ?? [];
    namespace = await installNamespaceFor(definition, context);
    registrations = registrationsFor(declared, registrations, scope);
    // Without a configuration nothing may be declared that is still wanted: it is taken back when it is known not to be.
    const isUnknown = problems.some(({ kind }) => kind === 'missing');
    if (declared.length === 0 && isUnknown) return { condition: nilRegistration, namespace, registrations };
    const permissions = declared.flatMap((one) => (one.type === 'kubeClient' ? one.permissions : []));
    const outcome = await applyPermissions(deps, addon, permissions, subjectsOf(registrations));
    if (declared.length === 0) return { condition: nilRegistration, namespace, registrations };
    const condition = outcome === 'applied' ? permissionApplied : permissionPending;
    return { condition, namespace, registrations };
  } catch (error) {
    return { condition: permissionFailed(error), namespace, registrations, error };
  }
}
