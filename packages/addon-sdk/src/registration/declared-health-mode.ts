import type { AddonDefinition } from '../definition/addon-definition.ts';
import { healthMode } from '../health/health.policy.ts';
import { type ResolvedContext, valueFor } from '../render/addon-context.ts';

/** Who decides whether an add-on is available, as far as that is known before it is rendered; what is wrong with it, its deployment reports. */
export async function declaredHealthMode(
  { health }: AddonDefinition,
  { context, problems }: ResolvedContext,
): Promise<ReturnType<typeof healthMode>> {
  if (problems.length > 0) return undefined;
  try {
    return healthMode(await valueFor(health, context));
  } catch {
    return undefined;
  }
}
