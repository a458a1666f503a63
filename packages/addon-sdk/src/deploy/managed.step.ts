import { isDeleting } from '@flotilla/kube';
import type { DeployPass } from './deploy-pass.ts';
import { deployWorks } from './deploy-works.ts';
import { runHooks } from './run-hooks.ts';

/** Deploys to the managed cluster. While hooks hold the add-on, works are still updated: the agent may need a fix to finish. */
export async function managedWorksStep(pass: DeployPass): Promise<void> {
  const { addon, cluster, draft } = pass;
  if (!draft.has('hook') && (isDeleting(addon) || isDeleting(cluster))) return;
  await deployWorks(pass, 'managed', addon.metadata?.namespace ?? '');
}

/** Holds the add-on until its hooks on the managed cluster are completed. */
export async function managedHookStep(pass: DeployPass): Promise<void> {
  const { addon, draft, rendering, errors } = pass;
  if (rendering.kind !== 'rendered') return;
  if (rendering.manifests.managed.hooks.length === 0) return draft.remove('hook');
  if (!isDeleting(addon)) return draft.add('hook');
  if (!draft.has('hook')) return;
  try {
    if (await runHooks(pass, 'managed', addon.metadata?.namespace ?? '')) draft.remove('hook');
  } catch (error) {
    errors.push(error);
  }
}
