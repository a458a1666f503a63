import { type ManagedClusterAddOn, type ManifestWork, ObjectName } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import { byAddon } from '../caches/caches.ts';
import type { ExistingPart } from './split.ts';

/** Where the works of an add-on are: on its own cluster, or on the one that hosts its agent. */
export type WorkSite = 'managed' | 'hosting';

/** How the works of one add-on are named at one site. */
export interface WorkNames {
  deploy(index: number): string;
  readonly hook: string;
  /** The number of a deploy work; undefined if it is not one of these. */
  indexOf(name: string): number | undefined;
}

/** The names of works. */
export function workNames({ metadata }: ManagedClusterAddOn, site: WorkSite): WorkNames {
  const { name: addOn = '', namespace = '' } = metadata ?? {};
  const names =
    site === 'managed'
      ? {
          deploy: (index: number) => ObjectName.AddOnDeployWork.of({ addOn, index: String(index) }),
          hook: ObjectName.AddOnPreDeleteWork.of({ addOn }),
        }
      : {
          deploy: (index: number) => ObjectName.AddOnHostingDeployWork.of({ addOn, namespace, index: String(index) }),
          hook: ObjectName.AddOnHostingPreDeleteWork.of({ addOn, namespace }),
        };
  const prefix = names.deploy(0).slice(0, -1);
  return {
    ...names,
    indexOf: (name) => {
      const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
      return /^\d+$/.test(rest) ? Number(rest) : undefined;
    },
  };
}

/** A deploy work with its number. */
export interface NumberedWork extends ExistingPart {
  readonly work: ManifestWork;
}

/** The works of an add-on at one site, by what they are for. */
export interface AddonWorks {
  /** In the order of their numbers. */
  readonly deployed: readonly NumberedWork[];
  readonly hooks: readonly ManifestWork[];
}

/** Finds the works of an add-on in the cache. */
export function addonWorks(
  works: { byIndex(index: string, value: string): ManifestWork[] },
  addon: ManagedClusterAddOn,
  site: WorkSite,
): AddonWorks {
  const names = workNames(addon, site);
  const all = works.byIndex(byAddon, keyOf(addon));
  const deployed = all
    .flatMap((work): NumberedWork[] => {
      const index = names.indexOf(work.metadata?.name ?? '');
      return index === undefined ? [] : [{ index, work, manifests: work.spec?.workload?.manifests ?? [] }];
    })
    .sort((a, b) => a.index - b.index);
  return { deployed, hooks: all.filter(({ metadata }) => metadata?.name === names.hook) };
}
