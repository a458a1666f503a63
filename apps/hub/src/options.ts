import {
  defineOptions,
  featureGatesOption,
  gatesOf,
  kubeOptions,
  leaderElectionOptions,
  type OptionDefinitions,
} from '@flotilla/kube/process';
import type { Driver } from '@flotilla/registration-core/contract';
import { hubOptions } from '@flotilla/registration-core/hub';

/** The flags of `flotilla-hub controller`: OCM's, and those of the drivers. */
export const controllerOptions = (drivers: readonly Driver[]) =>
  defineOptions({
    ...driverOptions(drivers),
    ...kubeOptions,
    ...leaderElectionOptions,
    ...hubOptions,
    enabledRegistrationDrivers: {
      type: 'list',
      default: drivers.slice(0, 1).map(({ authType }) => authType),
      group: 'Registration',
      description: `Auth types by which clusters may register, of ${drivers.map(({ authType }) => authType).join(', ')}.`,
    },
    terminateOnFiles: {
      type: 'list',
      deprecated: 'files are read again when they change, so nothing has to end',
      description: 'Ignored; there because deployments of OCM have it.',
    },
    featureGates: featureGatesOption(gatesOf('hub-registration', 'hub-work')),
  });

const driverOptions = (drivers: readonly Driver[]): OptionDefinitions =>
  Object.assign({}, ...drivers.map(({ options }) => options.hub));
