import { KubeError } from '@flotilla/kube';
import type { AddonRegistration } from '../../contract/index.ts';
import type { BoundAddonDriver, BoundDriver } from '../options/bound-driver.ts';

/** Which drivers serve the registrations of add-ons. */
export interface AddonDriverChoice {
  /** The auth type for access to the hub's API. */
  readonly auth: string;
  /** The same as the status of add-ons names it. */
  readonly statusAuth: string;
  /** The driver for a registration; undefined if none can serve it. */
  find(registration: AddonRegistration): BoundAddonDriver | undefined;
}

/** Chooses among drivers, that of the cluster first. Refuses an auth type that none of them has, in OCM's words. */
export function addonDriverChoice(drivers: readonly BoundDriver[], wanted: string | undefined): AddonDriverChoice {
  const addonDrivers = drivers.flatMap(({ addon }, index) =>
    addon && (index === 0 || !addon.needsClusterDriver) ? [addon] : [],
  );
  const auth = wanted || addonDrivers[0]?.authType || '';
  const find = (registration: AddonRegistration) => addonDrivers.find((driver) => driver.supports(registration));
  const example: AddonRegistration = { type: 'kubeClient', driver: auth, addonName: '', user: '', groups: [] };
  if (wanted && !find(example)) {
    throw new KubeError('Config', `unsupported addon-kubeclient-registration-auth: ${wanted}`, {
      hint: `Leave --addon-kubeclient-registration-auth out, or give one of ${addonDrivers.map(({ authType }) => authType).join(', ')}.`,
    });
  }
  return { auth, statusAuth: find(example)?.statusDriver ?? auth, find };
}
