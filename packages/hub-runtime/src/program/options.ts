import { featureGateChoices } from '@flotilla/api-types';
import { KubeError, type Logger } from '@flotilla/kube';
import { defineOptions, featureGatesOption, kubeOptions, leaderElectionOptions } from '@flotilla/process';
import { type Driver, driverOptions } from '@flotilla/registration-core/contract';
import { hubOptions } from '@flotilla/registration-core/hub';
import { importerOptions } from '../importer/importer-options.ts';
import { type HubComponent, hubComponents } from '../run-hub.ts';
import { absentFlags } from './absent-flags.ts';
import { placementGatesOption } from './placement-gates.ts';

/** A flag of all of OCM's controllers that is not needed. */
export const terminateOnFiles = {
  type: 'list',
  deprecated: 'files are read again when they change, so nothing has to end',
  description: 'Ignored; there because deployments of OCM have it.',
} as const;

/** Where OCM's work controllers keep works. */
export const workDriver = {
  type: 'choice',
  choices: ['kube'],
  default: 'kube',
  group: 'Work',
  description: 'Where works are kept: the API server of the hub.',
} as const;

/** The flags of `flotilla-hub controller`: OCM's, and those of the drivers. */
export const controllerOptions = (drivers: readonly Driver[]) =>
  defineOptions({
    ...absentFlags,
    ...driverOptions(drivers, 'hub'),
    ...kubeOptions,
    ...leaderElectionOptions,
    ...hubOptions,
    ...importerOptions,
    enabledRegistrationDrivers: {
      type: 'list',
      default: drivers.slice(0, 1).map(({ authType }) => authType),
      group: 'Registration',
      description: `Auth types by which clusters may register, of ${drivers.map(({ authType }) => authType).join(', ')}.`,
    },
    workDriver,
    controllers: {
      type: 'list',
      default: [...hubComponents],
      group: 'Hub',
      description: `Which controllers run here, of ${hubComponents.join(', ')}. OCM runs each as a program of its own.`,
    },
    grpcServerHosts: {
      type: 'list',
      group: 'Registration',
      description:
        'Names and addresses by which clusters reach the gRPC server, for its certificate, beside that of its Service. With the driver grpc and without --grpc-ca-file the controllers keep that certificate, its CA and the signer of client certificates in the namespace of the hub, unless they are of somebody else.',
    },
    placementGates: placementGatesOption,
    terminateOnFiles,
    featureGates: featureGatesOption(featureGateChoices('hub-registration', 'hub-work', 'hub-addon')),
  });

/** The parts that `--controllers` names. */
export function enabledComponents(names: readonly string[]): readonly HubComponent[] {
  const isKnown = (name: string): name is HubComponent => hubComponents.some((component) => component === name);
  const unknown = names.find((name) => !isKnown(name));
  if (unknown !== undefined) {
    throw new KubeError('Config', `--controllers names "${unknown}", which this hub does not have`, {
      hint: `The controllers are ${hubComponents.join(', ')}.`,
    });
  }
  return names.filter(isKnown);
}

/** The drivers that `--enabled-registration-drivers` names. One that this hub does not have is left out, as in OCM, but not silently. */
export function enabledDrivers(drivers: readonly Driver[], names: readonly string[], log: Logger): readonly Driver[] {
  const known = drivers.map(({ authType }) => authType);
  for (const driver of names.filter((name) => !known.includes(name))) {
    log.warn('this hub does not have a driver that it shall enable: its clusters cannot join', { driver, known });
  }
  return drivers.filter(({ authType }) => names.includes(authType));
}
