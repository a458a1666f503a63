import {
  Label,
  type ManagedClusterAddOn,
  type ManifestWork,
  managedClusterAddOns,
  manifestWorks,
} from '@flotilla/api-types';
import { type Clock, createInformers, type KubeClient } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { addOnState } from '../addon-state.ts';
import { changeLines, manifestChanges } from './manifest-diff.ts';

/** What of a hub is followed. */
interface FollowInput {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly report: (line: string) => void;
}

const sortKey = ({ metadata }: ManifestWork): string => metadata?.name ?? '';

/** Whose work it is: that of a hosted add-on is in the namespace of another cluster. */
const ownerOf = ({ metadata }: ManifestWork): string =>
  `${metadata?.labels?.[Label.AddOnNamespace] ?? metadata?.namespace}/${metadata?.labels?.[Label.AddOnName]}`;

/** Reports what add-ons give to each cluster as it changes, and where they are on their way. */
export function followAddOns({ client, clock, report }: FollowInput): Disposable {
  const informers = createInformers({ client, clock });
  const works = informers.resource(manifestWorks, { labelSelector: Label.AddOnName });
  const addOns = informers.resource(managedClusterAddOns);
  const given = new Map<string, readonly KubeObject[]>();
  const states = new Map<string, string>();
  const reportWorks = (changed: ManifestWork): void => {
    const owner = ownerOf(changed);
    const own = works.list().filter((work) => ownerOf(work) === owner);
    const manifests = own
      .toSorted((a, b) => sortKey(a).localeCompare(sortKey(b)))
      .flatMap(({ spec }): readonly KubeObject[] => spec?.workload?.manifests ?? []);
    const changes = manifestChanges(given.get(owner) ?? [], manifests);
    given.set(owner, manifests);
    for (const line of changeLines(owner, changes)) report(line);
  };
  const reportState = (addOn: ManagedClusterAddOn, isGone: boolean): void => {
    const { namespace, name } = addOn.metadata ?? {};
    const owner = `${namespace}/${name}`;
    const state = isGone ? 'is removed' : addOnState(addOn) || 'is Available';
    if (states.get(owner) === state) return;
    states.set(owner, state);
    report(`${owner}  ${state}`);
  };
  const subscriptions = [
    works.changes.subscribe(({ object }) => reportWorks(object)),
    addOns.changes.subscribe(({ type, object }) => reportState(object, type === 'deleted')),
  ];
  return {
    [Symbol.dispose]() {
      for (const subscription of subscriptions) subscription.unsubscribe();
      informers.close();
    },
  };
}
