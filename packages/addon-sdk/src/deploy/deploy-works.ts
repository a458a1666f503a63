import { isDeleting, KubeError } from '@flotilla/kube';
import { addonWorks, type WorkSite, workNames } from '../works/addon-works.ts';
import { applyWork, deleteWork } from '../works/apply-works.ts';
import { type Part, splitManifests } from '../works/split.ts';
import { addonWork, orphaning } from '../works/work-template.ts';
import { appliedStatus, appliedType, applyFailed, buildFailed, nothingToApply, renderFailed } from './deploy.status.ts';
import type { DeployPass } from './deploy-pass.ts';

/** Brings the deploy works of one site to what was rendered, and reports what their agent says. */
export async function deployWorks(pass: DeployPass, site: WorkSite, namespace: string): Promise<void> {
  const { rendering, draft, errors } = pass;
  if (rendering.kind === 'waiting') return;
  if (rendering.kind === 'failed') {
    draft.set(renderFailed(site, rendering.error));
    errors.push(rendering.error);
    return;
  }
  try {
    await applyParts(pass, site, namespace);
  } catch (error) {
    // Another writer of the work was faster: nothing is wrong that a user could see to.
    if (!KubeError.is(error, 'Conflict')) draft.set(applyFailed(site, error));
    errors.push(error);
  }
}

async function applyParts(pass: DeployPass, site: WorkSite, namespace: string): Promise<void> {
  const { deps, addon, draft, rendering } = pass;
  if (rendering.kind !== 'rendered') return;
  const { works } = deps.caches;
  const { deployed } = rendering.manifests[site];
  const existing = addonWorks(works, addon, site).deployed.filter(({ work }) => work.metadata?.namespace === namespace);
  const parts = splitManifests(
    deployed,
    existing.filter(({ work }) => !isDeleting(work)),
    deps.workBudget,
  );
  const kept = parts.filter(({ manifests }) => manifests.length > 0);
  for (const { work, index } of existing) {
    if (!kept.some((part) => part.index === index)) await deleteWork(works, work);
  }
  if (kept.length === 0) {
    draft.set(nothingToApply(site));
    return;
  }
  const names = workNames(addon, site);
  const deleteOption = orphaning(deployed);
  const ownerType = await deps.ownerType();
  const build = ({ index, manifests }: Part) =>
    addonWork(addon, {
      name: names.deploy(index),
      namespace,
      manifests,
      manifestConfigs: rendering.manifestConfigs,
      ownerType,
      ...(deleteOption && { deleteOption }),
    });
  let wanted: ReturnType<typeof build>[];
  try {
    wanted = kept.map(build);
  } catch (error) {
    draft.set(buildFailed(site, error));
    pass.errors.push(error);
    return;
  }
  const applied = await Promise.all(wanted.map((work) => applyWork(works, work)));
  const status = appliedStatus(site, applied, draft.conditions);
  if (status === 'absent') draft.unset(appliedType(site));
  else if (status) draft.set(status);
}
