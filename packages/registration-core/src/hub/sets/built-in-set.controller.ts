import {
  Annotation,
  ControllerName,
  LogReason,
  type ManagedClusterSet,
  type ManagedClusterSetSpec,
} from '@flotilla/api-types';
import { type Controller, defineController, done, isDeleting, KubeError, on } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { of } from 'rxjs';
import type { HubDeps } from '../deps.ts';

/** A set that the hub keeps. */
export interface BuiltInSet {
  readonly controller: string;
  readonly name: string;
  readonly selector: NonNullable<ManagedClusterSetSpec['clusterSelector']>;
  readonly created: string;
  readonly rolledBack: string;
}

/** Clusters that are in no other exclusive set. */
export const defaultSet: BuiltInSet = {
  controller: ControllerName.DefaultManagedClusterSet,
  name: 'default',
  selector: { selectorType: 'ExclusiveClusterSetLabel' },
  created: LogReason.DefaultSetCreated,
  rolledBack: LogReason.DefaultSetRolledBack,
};

/** All clusters. */
export const globalSet: BuiltInSet = {
  controller: ControllerName.GlobalManagedClusterSet,
  name: 'global',
  selector: { selectorType: 'LabelSelector', labelSelector: {} },
  created: LogReason.GlobalSetCreated,
  rolledBack: LogReason.GlobalSetRolledBack,
};

const mayBeUpdated = ({ metadata }: ManagedClusterSet): boolean =>
  metadata?.annotations?.[Annotation.AutoUpdate] !== 'false';

/** Keeps a built-in set there and its selector as it must be; all other fields belong to its users. */
export const builtInSetController = ({ sets }: HubDeps, builtIn: BuiltInSet): Controller =>
  defineController({
    name: builtIn.controller,
    watches: [
      on(sets, undefined, ({ key }) => key === builtIn.name),
      // Once at the start, because what was never there does not change.
      on(of(builtIn.name)),
    ],
    async reconcile(name, { log }) {
      const set = sets.get(name);
      if (!set) {
        try {
          await sets.create({ metadata: { name }, spec: { clusterSelector: builtIn.selector } });
          log.info(`set ${name} is made`, { reason: builtIn.created });
        } catch (error) {
          // Made meanwhile: its event brings us back.
          if (!KubeError.is(error, 'AlreadyExists')) throw error;
        }
        return done;
      }
      if (isDeleting(set) || !mayBeUpdated(set)) return done;
      if (semanticEqual(set.spec?.clusterSelector, builtIn.selector)) return done;
      await sets.replace({ ...set, spec: { ...set.spec, clusterSelector: builtIn.selector } });
      log.info(`selector of set ${name} is restored`, { reason: builtIn.rolledBack });
      return done;
    },
  });
