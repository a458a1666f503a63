import { isDeleting, keyOf } from '@flotilla/kube';
import { type WorkSite, workNames } from '../works/addon-works.ts';
import { applyWork, deleteWork } from '../works/apply-works.ts';
import { addonWork } from '../works/work-template.ts';
import { hookCompleted, hookNotCompleted } from './deploy.status.ts';
import type { DeployPass } from './deploy-pass.ts';
import { hookConfigs, hookState } from './hook.policy.ts';

/**
 * Runs the hooks of a site and says whether they are completed. Hooks that failed are taken away with their work and run again after a
 * while: a Job that was evicted or met a broken network must not hold the add-on for ever.
 */
export async function runHooks(pass: DeployPass, site: WorkSite, namespace: string): Promise<boolean> {
  const { deps, addon, draft, rendering, retries } = pass;
  if (rendering.kind !== 'rendered') return false;
  const { works } = deps.caches;
  const { hooks } = rendering.manifests[site];
  const { hook: name } = workNames(addon, site);
  const ownerType = await deps.ownerType();
  const wanted = addonWork(addon, {
    name,
    namespace,
    manifests: hooks,
    manifestConfigs: hookConfigs(hooks),
    ownerType,
  });
  const key = keyOf(wanted);
  const failures = retries.countOf(key);
  const waitMs = retries.waitMs(key);
  if (waitMs > 0) {
    pass.requeue(waitMs, 'a failed pre-delete hook runs again');
    draft.set(hookNotCompleted(name, failedDetail(failures)));
    return false;
  }
  const work = await applyWork(works, wanted);
  // On its way out after a failure: its deletion wakes this add-on.
  const state = isDeleting(work) ? { kind: 'running' as const } : hookState(work);
  if (state.kind === 'completed') {
    retries.forget(key);
    draft.set(hookCompleted(name));
    return true;
  }
  if (state.kind === 'failed') {
    retries.failed(key);
    await deleteWork(works, work);
    pass.requeue(retries.waitMs(key), 'a failed pre-delete hook runs again');
    draft.set(hookNotCompleted(name, failedDetail(retries.countOf(key), state.hooks)));
    return false;
  }
  draft.set(hookNotCompleted(name, failures > 0 ? failedDetail(failures) : ''));
  return false;
}

/** What an administrator needs to know of failed hooks. */
const failedDetail = (failures: number, hooks: readonly string[] = []): string =>
  `${hooks.length > 0 ? hooks.join(', ') : 'A hook'} failed ${failures === 1 ? 'once' : `${failures} times`} and runs again.`;
