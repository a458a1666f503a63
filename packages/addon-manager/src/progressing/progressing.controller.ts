import { AddOnControllerName, type ManagedClusterAddOn, ManagedClusterAddOnCondition } from '@flotilla/api-types';
import { after, type Controller, defineController, done, findCondition, isDeleting, keyOf, on } from '@flotilla/kube';
import { type MonotonicTime, msBetween, type WallTime } from '@flotilla/kube/clock';
import { batchPeriodMs, mostAtOnce } from '../attempt-all.ts';
import type { AddonCaches } from '../caches.ts';
import { identityOf, when } from '../changes.ts';
import { isManaged } from '../lifecycle.ts';
import { writeStatus } from '../write-changes.ts';
import { type AddOnWorks, addOnOfWork } from './add-on-work.ts';
import { canBeHosted, progressInputOf } from './progress-input.ts';
import { hostingClusterOf, isInterim, progressingStatus } from './progressing.status.ts';

/** So long an add-on may be in another state on its way before its condition says so: most have reached the end by then. */
const interimMs = 5000;

/** One moment: as conditions name it, and to measure from. */
interface Since {
  readonly time: WallTime;
  readonly at: MonotonicTime;
}

/** Whether its configurations were decided on: before that there is nothing to progress, and two controllers would write to each new add-on at once. */
const isConfigured = ({ status }: ManagedClusterAddOn): boolean =>
  findCondition(status?.conditions, ManagedClusterAddOnCondition.Configured) !== undefined;

const progressFactsOf = (addOn: ManagedClusterAddOn): unknown => [
  addOn.spec?.configs,
  addOn.status?.configReferences,
  addOn.status?.supportedConfigs,
  hostingClusterOf(addOn),
  isConfigured(addOn),
  ...[
    ManagedClusterAddOnCondition.Progressing,
    ManagedClusterAddOnCondition.ManifestApplied,
    ManagedClusterAddOnCondition.HostingManifestApplied,
  ].map((type) => findCondition(addOn.status?.conditions, type)),
];

/** Says whether the newest configurations of an add-on have arrived on its cluster, from the works that carry them. */
export function progressingController(caches: AddonCaches, works: AddOnWorks): Controller {
  const { managementAddOns, addOns, clock } = caches;
  /** Since when add-ons are in a state that their conditions do not name yet. */
  const interimSince = new Map<string, Since>();
  return defineController({
    name: AddOnControllerName.Progressing,
    isOptional: true,
    concurrency: mostAtOnce,
    // A work that is ready and the add-on that says so arrive by two watches: a write between them is a conflict.
    batchPeriodMs,
    watches: [
      on(addOns, undefined, when(identityOf, progressFactsOf)),
      on(
        managementAddOns,
        ({ metadata }) => caches.addOnsNamed(metadata?.name ?? '').map(keyOf),
        when(identityOf, isManaged, canBeHosted),
      ),
      on(works.cache, addOnOfWork),
    ],
    async reconcile(key) {
      const addOn = addOns.get(key);
      const owner = managementAddOns.get(addOn?.metadata?.name ?? '');
      const since = interimSince.get(key);
      interimSince.delete(key);
      if (!addOn || isDeleting(addOn) || !owner || !isManaged(owner) || !isConfigured(addOn)) return done;
      const start = since ?? { time: clock.now(), at: clock.monotonic() };
      if (isInterim(progressInputOf(works, owner, addOn))) {
        const left = interimMs - msBetween(start.at, clock.monotonic());
        if (left > 0) {
          interimSince.set(key, start);
          return after(left, 'the add-on may have progressed by then');
        }
      }
      await writeStatus(addOns, addOn, (current) =>
        progressingStatus(progressInputOf(works, owner, current), start.time),
      );
      return done;
    },
  });
}
