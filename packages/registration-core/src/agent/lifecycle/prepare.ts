import { randomUUID } from 'node:crypto';
import { DataKey } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import type { AgentIdentity, StoredCredentials } from '../../contract/index.ts';
import type { CredentialFiles } from '../credentials/credential-files.ts';
import { secretStore } from '../credentials/credential-store.ts';
import { readClusterUid } from '../identity/cluster-uid.ts';
import { chooseIdentity, validateIdentity } from '../identity/identity.policy.ts';
import { authTypeKey } from '../state/secret-entries.ts';
import type { AgentSetup } from './agent-input.ts';
import type { AgentContext } from './context.ts';
import { createHubSession, type JoinedHub } from './hub-session.ts';
import { type RetryOptions, retryUntilDone } from './retry.ts';

/** What a context is made with beside the input of the agent. */
export interface PrepareOptions extends Pick<AgentContext, 'send' | 'report' | 'storedChanges'> {
  readonly stored: StoredCredentials | undefined;
  readonly retry: RetryOptions;
  readonly onHub: (hub: JoinedHub | undefined) => void;
}

/** Finds out who the agent is, and makes the driver for that identity. */
export async function prepareContext(setup: AgentSetup, prepare: PrepareOptions): Promise<AgentContext> {
  const { options, gates, management, spoke, store, clock, random, addonDrivers } = setup;
  const { retry, send, onHub, report, storedChanges } = prepare;
  const identity = await identify(setup, prepare);
  const { clusterName, clusterUid } = identity;
  const log = setup.log.child({ cluster: clusterName });
  const driver = await createDriver(setup, identity);
  return {
    identity,
    options,
    gates,
    management,
    spoke,
    driver,
    addonDrivers,
    store,
    authType: setup.driver.authType,
    names: { ...namesOf(identity), [authTypeKey]: setup.driver.authType },
    description: {
      clusterName,
      ...(clusterUid !== undefined && { clusterUid }),
      annotations: options.clusterAnnotations,
      labels: options.clusterLabels,
      externalServerUrls: options.spokeExternalServerUrls,
      ...(options.spokeCaBundle !== undefined && { caBundle: options.spokeCaBundle }),
      decorate: (cluster) => driver.decorate?.(cluster) ?? cluster,
    },
    clock,
    log,
    random,
    send,
    report,
    changes: retry.changes,
    storedChanges,
    session: createHubSession({ identity, driver, onHub }),
  };
}

async function createDriver(
  { driver, gates, bootstrapFiles, connect, management, secretKey, clock, log, random }: AgentSetup,
  identity: AgentIdentity,
) {
  const secret = (suffix: string) => secretStore(management, `${secretKey}-${suffix}`);
  const agent = await driver.agent?.({ identity, gates, files: bootstrapFiles, connect, secret, clock, log, random });
  if (agent) return agent;
  throw new KubeError('Config', `clusters cannot register by ${driver.authType}, which is for add-ons only`, {
    hint: 'Give --registration-auth another auth type.',
  });
}

const namesOf = ({ clusterName, agentName }: AgentIdentity): StoredCredentials => ({
  [DataKey.ClusterName]: clusterName,
  [DataKey.AgentName]: agentName,
});

async function identify(setup: AgentSetup, { stored, retry }: PrepareOptions): Promise<AgentIdentity> {
  const { options, random, log, spoke, store, files } = setup;
  const chosen = chooseIdentity(options, stored ?? (await storedNames(files)), { random, uuid: randomUUID });
  validateIdentity(chosen);
  const isGenerated = !(options.clusterName && options.agentName);
  // A restart before the first credential must not make another cluster of this one.
  if (isGenerated) await retryUntilDone('store the names of the agent', retry, () => store.write(namesOf(chosen)));
  const readUid = () => readClusterUid(spoke, log);
  const clusterUid = await retryUntilDone('read the identity of the cluster', retry, readUid);
  return { ...chosen, ...(clusterUid !== undefined && { clusterUid }) };
}

/** Names as files have them that outlived their Secret. */
async function storedNames(files: CredentialFiles | undefined): Promise<StoredCredentials> {
  const names = await Promise.all(
    [DataKey.ClusterName, DataKey.AgentName].map(async (name) => [name, (await files?.read(name)) ?? ''] as const),
  );
  return Object.fromEntries(names);
}
