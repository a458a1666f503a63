import { evaluateHealth, healthMode } from '../health/health.policy.ts';
import { addonWorks } from '../works/addon-works.ts';
import type { DeployPass } from './deploy-pass.ts';

/** Sets how the health of the add-on is known, and its health if that is by works. */
export async function healthStep(pass: DeployPass): Promise<void> {
  const { deps, cluster, context, addon, rendering, draft } = pass;
  const prober = rendering.kind === 'failed' ? undefined : rendering.prober;
  if (!prober) return;
  const mode = healthMode(prober);
  if (mode) draft.setHealthMode(mode);
  const { deployed } = addonWorks(deps.caches.works, addon, context.mode === 'Hosted' ? 'hosting' : 'managed');
  const condition = await evaluateHealth({
    prober,
    addonName: deps.definition.name,
    cluster,
    conditions: draft.conditions,
    works: deployed.map(({ work }) => work),
    context,
  });
  if (condition) draft.set(condition);
}
