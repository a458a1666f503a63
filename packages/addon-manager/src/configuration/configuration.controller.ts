import {
  AddOnControllerName,
  type ClusterManagementAddOn,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
} from '@flotilla/api-types';
import { after, type Controller, defineController, done, findCondition, isDeleting, keyOf, on } from '@flotilla/kube';
import type { WallTime } from '@flotilla/kube/clock';
import { RemovalHolds } from '@flotilla/placement/rollout';
import { batchPeriodMs } from '../attempt-all.ts';
import { type AddonCaches, type PlacementRef, placementKeyOf, placementOfDecision } from '../caches.ts';
import { identityOf, intentOf, selectionOf, when } from '../changes.ts';
import { desiredConfigsOf } from '../configs/config.ts';
import { isInstalledByPlacements, isManaged } from '../lifecycle.ts';
import type { AddOnWorks } from '../progressing/add-on-work.ts';
import { withProgress } from '../progressing/with-progress.ts';
import { writeStatus } from '../write-changes.ts';
import { configuredStatus, succeededStatus, waitingStatus } from './configuration.status.ts';
import { buildGraph, configurationPlanOf, type PlacementInput, type PlacementNode } from './graph.policy.ts';
import { HashWaits } from './hash-waits.ts';
import { progressionsStatus } from './progression.status.ts';
import { recordChosen, writeAddOns } from './write-add-ons.ts';

const rolloutFactsOf = ({ spec, status }: ManagedClusterAddOn): unknown => [
  spec?.configs,
  status?.configReferences,
  findCondition(status?.conditions, ManagedClusterAddOnCondition.Progressing),
  findCondition(status?.conditions, ManagedClusterAddOnCondition.Configured)?.status,
];

const progressOf = ({ status }: ClusterManagementAddOn): unknown => [
  status?.defaultConfigReferences,
  status?.installProgressions,
];

/** Gives add-ons their configurations, by the rollout strategies of their placements, and sums up how far they are. */
export function configurationController(caches: AddonCaches, works: AddOnWorks): Controller {
  const { managementAddOns, addOns, placements, decisions, clock } = caches;
  const hashes = new HashWaits();
  const holds = new RemovalHolds(clock);

  /** Writes how far placements are; after so long a hold is to be reported. */
  const writeProgress = async (owner: ClusterManagementAddOn, nodes: readonly PlacementNode[], now: WallTime) => {
    const isHeld = nodes.some(({ held }) => held !== undefined);
    const reportAfterMs = holds.reportAfterMs(keyOf(owner), isHeld);
    const time = { now, reportsHolds: reportAfterMs === 0 };
    await writeStatus(managementAddOns, owner, (current) => progressionsStatus(current, nodes, time));
    return reportAfterMs || undefined;
  };

  return defineController({
    name: AddOnControllerName.Configuration,
    isOptional: true,
    batchPeriodMs,
    reads: [works.cache],
    watches: [
      on(managementAddOns, undefined, when(identityOf, intentOf, progressOf)),
      on(addOns, ({ metadata }) => metadata?.name, when(identityOf, rolloutFactsOf)),
      on(placements, (placement) => caches.installedBy(keyOf(placement)), when(selectionOf)),
      on(decisions, (decision) => caches.installedBy(placementOfDecision(decision))),
    ],
    async reconcile(name) {
      const owner = managementAddOns.get(name);
      if (!owner) {
        hashes.forget(name);
        holds.forget(name);
      }
      if (!owner || isDeleting(owner) || !isManaged(owner) || !hasAllProgressions(owner)) return done;
      const now = clock.now();
      const graph = buildGraph({
        ...(!isInstalledByPlacements(owner) && { defaults: desiredConfigsOf(owner.status?.defaultConfigReferences) }),
        placements: placementInputs(caches, owner),
        addOns: caches.addOnsNamed(name),
        now,
      });
      const { configure, wait, succeeded, recheckAfterMs } = configurationPlanOf(graph);
      const left = hashes.leftMs(name, configure, clock.monotonic());
      if (left > 0) return after(left, 'the manager of the add-on may have hashed its configurations by then');
      await writeAddOns(caches, owner, configure, (addOn, { inherited }) => {
        const change = configuredStatus(addOn, inherited, now);
        return change && withProgress(works, owner, addOn, change, now);
      });
      await writeAddOns(caches, owner, wait, (addOn) => waitingStatus(addOn, now));
      await writeAddOns(caches, owner, succeeded, (addOn) => succeededStatus(addOn, now));
      await recordChosen(caches, owner, [...configure, ...succeeded]);
      const reportAfterMs = await writeProgress(owner, graph.placements, now);
      const waits = [recheckAfterMs, reportAfterMs].filter((ms) => ms !== undefined);
      return waits.length === 0 ? done : after(Math.min(...waits), 'a soak time, a deadline or a grace period ends');
    },
  });
}

const keyOfRef = ({ namespace, name }: PlacementRef): string => placementKeyOf({ namespace, name });

/** The placements of an install strategy that have a progression. */
function placementInputs(caches: AddonCaches, { spec, status }: ClusterManagementAddOn): PlacementInput[] {
  const strategies = new Map((spec?.installStrategy?.placements ?? []).map((ref) => [keyOfRef(ref), ref]));
  return (status?.installProgressions ?? []).flatMap((progression) => {
    const strategy = strategies.get(keyOfRef(progression));
    if (!strategy) return [];
    return {
      progression,
      strategy: strategy.rolloutStrategy ?? { type: 'All' },
      placement: caches.placements.get(keyOfRef(progression)),
      decisions: caches.decisionsOf(progression),
    };
  });
}

/** Without the progression of a placement its clusters would get the default configurations first, and their own a moment later. */
function hasAllProgressions(owner: ClusterManagementAddOn): boolean {
  if (!isInstalledByPlacements(owner)) return true;
  const known = new Set((owner.status?.installProgressions ?? []).map(keyOfRef));
  return (owner.spec?.installStrategy?.placements ?? []).every((ref) => known.has(keyOfRef(ref)));
}
