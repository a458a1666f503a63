import { AddOnControllerName, type ManagedCluster, ManagedClusterAddOnCondition } from '@flotilla/api-types';
import {
  after,
  type Controller,
  defineController,
  done,
  isConditionTrue,
  isDeleting,
  joinKey,
  keyOf,
  type Logger,
  on,
  type Result,
  type Watch,
} from '@flotilla/kube';
import { addonOfWork, addonsReferencing, byName, isNewOffer } from '../caches/caches.ts';
import type { AddonDeps } from '../caches/deps.ts';
import { hasTemplate } from '../caches/template-reference.ts';
import { writeFinalizers, writeStatus } from '../caches/write-status.ts';
import type { ConfigProblem } from '../configs/resolve-configs.ts';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { AddonContext } from '../definition/context.ts';
import { prefixOf } from '../manifests/rendered-manifest.ts';
import { addonContext, hostedInfo, valueFor } from '../render/addon-context.ts';
import { renderAddon } from '../render/render-addon.ts';
import { AddonDraft } from './addon-draft.ts';
import {
  isClusterLifecycle,
  isRegistered,
  isUnreachableForGood,
  lostForGood,
  unusableConfig,
} from './deploy.policy.ts';
import type { DeployPass, Rendering } from './deploy-pass.ts';
import { healthStep } from './health.step.ts';
import { HookRetries } from './hook-retries.ts';
import {
  hostingHookStep,
  hostingWorksStep,
  type Removal,
  removeHostingHooks,
  removeHostingWorks,
} from './hosting.step.ts';
import { managedHookStep, managedWorksStep } from './managed.step.ts';

/** Renders an add-on for each cluster that has it, keeps its works, runs its hooks and reports its health. */
export function deployController(deps: AddonDeps): Controller {
  const { caches, clock } = deps;
  const retries = new HookRetries(clock, deps.random);

  return defineController({
    name: AddOnControllerName.Deploy,
    watches: watchesOf(deps),
    async reconcile(key, { signal, log }): Promise<Result> {
      const addon = caches.addons.get(key);
      if (!addon) return done;
      const cluster = caches.clusters.get(addon.metadata?.namespace ?? '');
      const draft = new AddonDraft(addon, clock.now());
      const errors: unknown[] = [];
      let result: Result = done;
      if (isUnreachableForGood(cluster)) {
        if (isDeleting(addon)) await release({ deps, addon, draft, errors });
      } else if (cluster && isDue(deps.definition, draft)) {
        const { context, problems } = addonContext(
          deps.definition,
          { addon, cluster },
          caches.configsFor(addon),
          signal,
        );
        const why = lostForGood(addon, caches.offers.has(deps.definition.name), problems);
        if (why !== undefined) {
          log.warn('the add-on goes without its pre-delete hooks: neither their configuration nor its offer is left', {
            why,
          });
          await release({ deps, addon, draft, errors });
        } else {
          const rendering = await renderingOf(deps, context, problems);
          if (rendering.kind === 'waiting') log.debug(rendering.why);
          await deploy({
            ...{ deps, addon, cluster, context, rendering, draft, retries, errors },
            requeue: (ms, reason) => {
              if (result.kind === 'done' || ms < result.ms) result = after(ms, reason);
            },
          });
        }
      }
      await write(deps, draft, log);
      throwFirst(errors);
      return result;
    },
  });
}

function watchesOf(deps: AddonDeps): Watch[] {
  const { definition, caches, triggers } = deps;
  const { name } = definition;
  return [
    on(caches.addons, undefined, ({ object }) => object.metadata?.name === name),
    on(caches.works, (work) => {
      const key = addonOfWork(work);
      return key?.endsWith(`/${name}`) ? key : undefined;
    }),
    on(
      caches.clusters,
      (cluster) => addonsOfCluster(deps, cluster),
      (change) =>
        isClusterLifecycle(change) ||
        (change.type === 'updated' && definition.clusterFilter?.(change.previous, change.object) === true),
    ),
    // A change of content arrives as a new hash in the status of the add-on.
    ...caches.configs.map(({ type, cache }) =>
      on(cache, addonsReferencing(caches, name, type), (change) => change.type !== 'updated'),
    ),
    on(
      caches.offers,
      () => caches.addons.byIndex(byName, name).filter(isDeleting).map(keyOf),
      ({ type, key }) => type === 'deleted' && key === name,
    ),
    on(caches.offers, () => caches.addons.byIndex(byName, name).map(keyOf), isNewOffer(name)),
    on(triggers),
  ];
}

/** Whether there is something to do: one that is being deleted is done with when nothing here holds it. */
function isDue({ templateMode }: AddonDefinition, { addon, isHeld }: AddonDraft): boolean {
  if (isDeleting(addon)) return isHeld;
  return isRegistered(addon) && (!templateMode || hasTemplate(addon));
}

/** The steps of one reconcile, in order; what one of them finds out, the next ones see in the draft. */
async function deploy(pass: DeployPass): Promise<void> {
  await managedWorksStep(pass);
  await hostingWorksStep(pass);
  await managedHookStep(pass);
  await hostingHookStep(pass);
  await healthStep(pass);
}

/** A cluster that is gone runs no hooks, and hooks that are lost run nowhere: nothing must wait for them. Works on a hosting cluster are deleted still. */
async function release(removal: Removal): Promise<void> {
  removal.draft.remove('hook');
  await removeHostingHooks(removal);
  await removeHostingWorks(removal);
}

async function renderingOf(
  { definition }: AddonDeps,
  context: AddonContext,
  problems: readonly ConfigProblem[],
): Promise<Rendering> {
  const { addon, cluster } = context;
  const target = { addon: definition.name, cluster: cluster.metadata?.name ?? '' };
  const unusable = unusableConfig(addon, problems);
  if (unusable) return { kind: 'failed', error: new Error(`${prefixOf(target)}: ${unusable.message}`) };
  const why = isDeleting(addon) ? undefined : waitsFor(definition.configCheckEnabled === true, context, problems);
  try {
    if (why === undefined) return { kind: 'rendered', ...(await renderAddon(definition, context)) };
    const prober = await valueFor(definition.health, context);
    return { kind: 'waiting', why, ...(prober && { prober }) };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** What rendering waits for; undefined if for nothing. */
function waitsFor(
  configCheckEnabled: boolean,
  { addon }: AddonContext,
  problems: readonly ConfigProblem[],
): string | undefined {
  if (configCheckEnabled && !isConditionTrue(addon.status?.conditions, ManagedClusterAddOnCondition.Configured)) {
    return 'the hub has not admitted the configuration of this cluster yet';
  }
  return problems[0]?.message;
}

/** Finalizers first and alone: the status of this pass is about an object that they change, and the next pass writes it. */
async function write({ caches }: AddonDeps, draft: AddonDraft, log: Logger): Promise<void> {
  const { finalizers, status, addon } = draft;
  if (finalizers) await writeFinalizers(caches.addons, addon, finalizers, log);
  else if (status) await writeStatus(caches.addons, addon, status, log);
}

function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 1) throw new AggregateError(errors, String(errors[0]));
  if (errors.length === 1) throw errors[0];
}

/** The add-on of a cluster, and those whose agents it hosts. */
function addonsOfCluster({ definition, caches }: AddonDeps, cluster: ManagedCluster): string[] {
  const clusterName = cluster.metadata?.name ?? '';
  const own = joinKey(clusterName, definition.name);
  if (!definition.hosted) return [own];
  const hosted = caches.addons.byIndex(byName, definition.name).filter((addon) => {
    const managed = caches.clusters.get(addon.metadata?.namespace ?? '') ?? {
      ...cluster,
      metadata: { name: addon.metadata?.namespace },
    };
    return hostedInfo(definition, { addon, cluster: managed }).hostingCluster === clusterName;
  });
  return [own, ...hosted.map(keyOf)];
}
