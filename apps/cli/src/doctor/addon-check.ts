import { managedClusterAddOns } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { conditionOf, failedStepOf } from '../addon/addon-state.ts';
import { ifServed } from '../cluster/served.ts';
import { type Check, countOf, failed, ok } from './check.ts';

/** Whether add-ons are Available, and can be changed. An earlier version may be Available where a new one cannot be rendered or applied. */
export const addOnCheck = (client: KubeClient, program: string): Check => [
  'add-ons',
  async () => {
    const all = await ifServed(() => client.resource(managedClusterAddOns).list(), { items: [] });
    // One that is being removed is not applied any more, and is not there soon.
    const items = all.items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    const lost = items.filter((addOn) => conditionOf(addOn, 'Available')?.status !== 'True');
    const stuck = items.filter((addOn) => failedStepOf(addOn) !== undefined);
    const first = lost[0] ?? stuck[0];
    if (!first) return ok(items.length === 0 ? 'there are none' : `${countOf(items)} available`);
    const { name, namespace } = first.metadata ?? {};
    const what =
      lost.length > 0
        ? `${lost.length} of ${items.length} are not available`
        : `${stuck.length} of ${items.length} cannot be changed: ${name} on ${namespace}: ${failedStepOf(first)}`;
    return failed(what, `${program} explain addon ${name} --cluster ${namespace}`);
  },
];
