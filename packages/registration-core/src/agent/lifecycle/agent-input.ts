import { featureGateValues } from '@flotilla/api-types';
import {
  type AccessSource,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectKey,
  realClock,
  silentLogger,
} from '@flotilla/kube';
import { createTransport, type Transport } from '@flotilla/kube/transport';
import type { BootstrapFiles } from '../../contract/index.ts';
import { type AddonDriverChoice, addonDriverChoice } from '../addons/driver-choice.ts';
import { type CredentialFiles, credentialFiles } from '../credentials/credential-files.ts';
import { type CredentialStore, secretStore } from '../credentials/credential-store.ts';
import type { BoundDriver } from '../options/bound-driver.ts';
import { type AgentOptions, type ResolvedAgentOptions, resolveOptions } from '../options/options.ts';

/** What an agent is made of. */
export interface AgentInput {
  /** Where the agent's own secrets are; the managed cluster itself unless hosted. */
  readonly management: KubeClient;
  /** The managed cluster. */
  readonly spoke: KubeClient;
  /** By which the cluster registers: `bindDriver(csrDriver, options)`. */
  readonly driver: BoundDriver;
  /** By which add-ons may register beside it, in the order of preference. Default: none. */
  readonly addonDrivers?: readonly BoundDriver[];
  /** Where the driver finds the files that its options name: `diskFiles`, `secretFiles`, `accessFiles`. */
  readonly bootstrapFiles: BootstrapFiles;
  readonly options: AgentOptions;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** In [0, 1). */
  readonly random?: () => number;
  /** A transport to an API server. Default: `createTransport`. */
  readonly connect?: (access: AccessSource) => Transport;
}

/** The input with all defaults, and what follows from it. */
export interface AgentSetup extends Required<Omit<AgentInput, 'options' | 'addonDrivers'>> {
  readonly options: ResolvedAgentOptions;
  readonly addonDrivers: AddonDriverChoice;
  readonly gates: Readonly<Record<string, boolean>>;
  readonly secretKey: ObjectKey;
  readonly store: CredentialStore;
  /** Copies of the Secret; absent if no directory is given. */
  readonly files: CredentialFiles | undefined;
}

/** Fills in the defaults, and refuses options that cannot work. */
export function setUpAgent(input: AgentInput): AgentSetup {
  const { clock = realClock, log = silentLogger, random = Math.random } = input;
  const options = resolveOptions(input.options);
  const secretKey = `${options.namespace}/${options.hubKubeconfigSecret}`;
  return {
    connect: (access) => createTransport({ access, clock, log, random }),
    ...input,
    clock,
    log,
    random,
    options,
    addonDrivers: addonDriverChoice([input.driver, ...(input.addonDrivers ?? [])], options.addonAuth),
    gates: featureGateValues('spoke-registration', options.featureGates),
    secretKey,
    store: secretStore(input.management, secretKey),
    files: options.hubKubeconfigDir === undefined ? undefined : credentialFiles(options.hubKubeconfigDir),
  };
}
