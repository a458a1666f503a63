import { after, type Controller, defineController, done, keyOf, on, type StoreChange } from '@flotilla/kube';
import { type ResourceQuota, resourceQuotas } from '@flotilla/kube/kinds';
import { filter, mergeMap, type Observable } from 'rxjs';
import { equalJson } from '../patch/json.ts';
import { type Amounts, masked, sum } from '../quota/amounts.ts';
import { isInScopes } from '../quota/scopes.ts';
import { isCounted, namesFor, usageOf } from '../quota/usage.ts';
import type { ControllerContext } from './context.ts';
import type { ObjectChange } from './object-feed.ts';
import { createResourceTypes } from './resource-types.ts';

/** A write may fail after admission granted it: how long it may count as used. */
const resyncMs = 5 * 60_000;

/** Kinds that can come to use less without being deleted. */
const shrinking = new Set(['/pods', '/services', '/persistentvolumeclaims']);

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

/** Counts what is used of each quota. */
export function resourceQuotaController(context: ControllerContext): Controller {
  const { informers, storage, feed } = context;
  const quotas = informers.resource(resourceQuotas);
  const types = createResourceTypes(context.registry);
  const keys = (namespace?: string): string[] => storage.list('/resourcequotas', namespace).map(keyOf);
  const freed: Observable<string> = feed.pipe(
    filter(isReleasing),
    // A kind that becomes known may be one that a quota limits already.
    mergeMap((change) => (change.storage === definitions ? keys() : keys(change.change.object.metadata?.namespace))),
  );

  const used = (quota: ResourceQuota, hard: Amounts): Amounts => {
    const namespace = quota.metadata?.namespace;
    const now = context.clock.now();
    let total: Amounts = {};
    for (const info of types().values()) {
      const names = isCounted(info) ? namesFor(info, Object.keys(hard)) : [];
      if (names.length === 0) continue;
      total = sum(total, Object.fromEntries(names.map((name) => [name, '0'])));
      for (const object of storage.list(info.storage, namespace)) {
        if (isInScopes(quota, info.storage, object)) total = sum(total, masked(usageOf(info, object, now), names));
      }
    }
    return total;
  };

  return defineController({
    name: 'resource-quota',
    watches: [on(quotas, undefined, limitsChanged), on(freed)],
    async reconcile(key) {
      const quota = quotas.get(key);
      if (!quota || quota.metadata?.deletionTimestamp) return done;
      const hard = quota.spec?.hard ?? {};
      const status = { hard, used: used(quota, hard) };
      // Nothing used of nothing is not written.
      const known = { hard: quota.status?.hard ?? {}, used: quota.status?.used ?? {} };
      if (!equalJson(status, known)) await quotas.status.replace({ ...quota, status });
      return after(resyncMs, 'count again what failed to be written');
    },
  });
}

/** The status is written here and by admission, which needs no count. */
const limitsChanged = ({ object, previous }: StoreChange<ResourceQuota>): boolean =>
  !previous || !equalJson(object.spec ?? {}, previous.spec ?? {});

/** Whether a change may make room; what is added was charged when it was admitted. */
const isReleasing = ({ storage, change: { type } }: ObjectChange): boolean =>
  type === 'DELETED' || (type === 'MODIFIED' && shrinking.has(storage)) || storage === definitions;
