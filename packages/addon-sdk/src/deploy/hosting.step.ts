import { ManagedClusterAddOnCondition } from '@flotilla/api-types';
import { isConditionTrue, isDeleting } from '@flotilla/kube';
import { addonWorks } from '../works/addon-works.ts';
import { deleteWork } from '../works/apply-works.ts';
import { hostingValidity } from './deploy.status.ts';
import type { DeployPass } from './deploy-pass.ts';
import { deployWorks } from './deploy-works.ts';
import { runHooks } from './run-hooks.ts';

/** What removing works needs of a pass. */
export type Removal = Pick<DeployPass, 'deps' | 'addon' | 'draft' | 'errors'>;

/** Deletes the works on the hosting cluster, which no owner reference takes along, and then no longer holds the add-on for them. */
export async function removeHostingWorks({ deps, addon, draft, errors }: Removal): Promise<void> {
  if (!draft.has('hostingWorks')) return;
  try {
    const { deployed } = addonWorks(deps.caches.works, addon, 'hosting');
    for (const { work } of deployed) await deleteWork(deps.caches.works, work);
    draft.remove('hostingWorks');
  } catch (error) {
    errors.push(error);
  }
}

/** Likewise the hooks there. */
export async function removeHostingHooks({ deps, addon, draft, errors }: Removal): Promise<void> {
  if (!draft.has('hostingHook')) return;
  try {
    for (const work of addonWorks(deps.caches.works, addon, 'hosting').hooks) await deleteWork(deps.caches.works, work);
    draft.remove('hostingHook');
  } catch (error) {
    errors.push(error);
  }
}

/** Deploys to the cluster that hosts the agent. */
export async function hostingWorksStep(pass: DeployPass): Promise<void> {
  const { deps, addon, cluster, context, draft } = pass;
  if (context.mode !== 'Hosted') return removeHostingWorks(pass);
  const { hostingCluster: name = '' } = context;
  const hosting = deps.caches.clusters.get(name);
  draft.set(hostingValidity(name, hosting !== undefined));
  if (!hosting) return removeHostingWorks(pass);
  if (!draft.has('hostingHook')) {
    if (isDeleting(hosting) || isDeleting(addon)) return removeHostingWorks(pass);
    if (isDeleting(cluster)) return;
  }
  if (!draft.has('hostingWorks')) return draft.add('hostingWorks');
  await removeElsewhere(pass, name);
  await deployWorks(pass, 'hosting', name);
}

/** The agent was hosted by another cluster before. */
async function removeElsewhere({ deps, addon, errors }: DeployPass, hostingCluster: string): Promise<void> {
  try {
    for (const { work } of addonWorks(deps.caches.works, addon, 'hosting').deployed) {
      if (work.metadata?.namespace !== hostingCluster) await deleteWork(deps.caches.works, work);
    }
  } catch (error) {
    errors.push(error);
  }
}

/** Holds the add-on until its hooks on the hosting cluster are completed. */
export async function hostingHookStep(pass: DeployPass): Promise<void> {
  const { deps, addon, context, draft, rendering, errors } = pass;
  if (context.mode !== 'Hosted') return removeHostingHooks(pass);
  const { hostingCluster: name = '' } = context;
  const hosting = deps.caches.clusters.get(name);
  if (!hosting || isDeleting(hosting)) return removeHostingHooks(pass);
  if (rendering.kind !== 'rendered') return;
  if (rendering.manifests.hosting.hooks.length === 0) return removeHostingHooks(pass);
  if (!isDeleting(addon)) return draft.add('hostingHook');
  if (!draft.has('hostingHook')) return;
  // As of the last reconcile: what others hold the add-on for must not run the hooks again.
  if (isConditionTrue(addon.status?.conditions, ManagedClusterAddOnCondition.HookManifestCompleted)) {
    return removeHostingHooks(pass);
  }
  try {
    await runHooks(pass, 'hosting', name);
  } catch (error) {
    errors.push(error);
  }
}
