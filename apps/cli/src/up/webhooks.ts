import { type FeatureGateValues, Label, managedClusters, NamespaceName, SecretName } from '@flotilla/api-types';
import { hubWebhookRoutes } from '@flotilla/hub-runtime';
import {
  applyObjects,
  convertedDefinitions,
  hubDefinitions,
  webhookConfigurations,
  webhookNames,
} from '@flotilla/install';
import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import { type RunningWebhooks, startWebhooks } from '@flotilla/process/webhooks';
import { cliOwner } from '../cluster/owner.ts';
import type { ApiServer } from './api-server.ts';

/** What the webhooks of the quickstart work with. */
export interface UpWebhooksOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly gates: FeatureGateValues;
}

/**
 * Whether the definition of a kind waits for the webhooks. It must not be applied without them: what an earlier run stored in the
 * older version could not be read then, and the API server refuses.
 */
export const needsWebhooks = (definition: { readonly metadata?: { readonly name?: string } }): boolean =>
  convertedDefinitions().includes(definition.metadata?.name ?? '');

/** Serves the webhooks of the hub on loopback, and configures the API server to call them: the port is another one after each start. */
export async function startWebhooksOfHub(
  { client }: Pick<ApiServer, 'client'>,
  { clock, log, gates }: UpWebhooksOptions,
): Promise<RunningWebhooks> {
  const webhooks = await startWebhooks({
    client,
    clock,
    log,
    routes: hubWebhookRoutes({ client, clock, log, gates }),
    secret: `${NamespaceName.Hub}/${SecretName.RegistrationWebhookServingCert}`,
    hosts: ['127.0.0.1'],
    ...webhookNames(),
    converting: convertedDefinitions(),
  });
  const { url, caBundle } = webhooks;
  const definitions = await hubDefinitions({ url, caBundle });
  const objects = [...definitions.filter(needsWebhooks), ...webhookConfigurations({ url, caBundle })];
  await applyObjects(client, objects, { owner: cliOwner, clock });
  await called(client, clock);
  return webhooks;
}

const intervalMs = 50;
const calledWithinMs = 20_000;

/** The API server takes a moment to call them: a cluster that registers before that would be in no set. */
async function called(client: KubeClient, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + calledWithinMs;
  const probe = { metadata: { name: 'flotilla-probe' }, spec: {} };
  while (clock.monotonic() < deadline) {
    const { metadata } = await client.resource(managedClusters).create(probe, { dryRun: true });
    if (metadata?.labels?.[Label.ClusterSet] !== undefined) return;
    await clock.sleep(intervalMs);
  }
}
