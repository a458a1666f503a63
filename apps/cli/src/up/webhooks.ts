import {
  clusterManagementAddOns,
  Label,
  managedClusterAddOns,
  managedClusters,
  NamespaceName,
  SecretName,
  WebhookPath,
} from '@flotilla/api-types';
import { convertObject } from '@flotilla/api-types/conversion';
import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import { conversionRoute, type RunningWebhooks, startWebhooks, webhookRoute } from '@flotilla/kube/admission';
import { type HubGates, hubWebhooks } from '@flotilla/registration-core/hub';
import { workWebhooks } from '@flotilla/work-manager';
import { applyObjects } from '../apply.ts';
import { hubDefinitions } from '../hub/definitions.ts';
import { webhookNames, webhookObjects } from '../hub/webhook-objects.ts';
import { asMadeByCli } from '../ownership.ts';
import type { ApiServer } from './api-server.ts';

/** What the webhooks of the quickstart work with. */
export interface UpWebhooksOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly gates: HubGates;
}

/** Kinds that are served in two versions once a webhook converts between them. */
const converted = [managedClusterAddOns, clusterManagementAddOns].map(({ plural, group }) => `${plural}.${group}`);

/**
 * Whether the definition of a kind waits for the webhooks. It must not be applied without them: what an earlier run stored in the
 * older version could not be read then, and the API server refuses.
 */
export const needsWebhooks = (definition: { readonly metadata?: { readonly name?: string } }): boolean =>
  converted.includes(definition.metadata?.name ?? '');

/** Serves the hub's webhooks on loopback, and tells the API server of them: they are at another port after each start. */
export async function startHubWebhooks(
  { client }: Pick<ApiServer, 'client'>,
  { clock, log, gates }: UpWebhooksOptions,
): Promise<RunningWebhooks> {
  const admission = [...hubWebhooks({ client, clock, gates }), ...workWebhooks({ client })];
  const webhooks = await startWebhooks({
    client,
    clock,
    log,
    routes: [
      ...admission.map((webhook) => webhookRoute(webhook, { log })),
      conversionRoute({ path: WebhookPath.Convert, convert: convertObject, log }),
    ],
    secret: `${NamespaceName.Hub}/${SecretName.RegistrationWebhookServingCert}`,
    hosts: ['127.0.0.1'],
    ...webhookNames(),
    converting: converted,
  });
  const { url, caBundle } = webhooks;
  const definitions = await hubDefinitions({ url, caBundle });
  const objects = [...definitions.filter(needsWebhooks).map(asMadeByCli), ...webhookObjects({ url, caBundle })];
  await applyObjects(client, objects, clock);
  await asked(client, clock);
  return webhooks;
}

const betweenLooksMs = 50;
const askedWithinMs = 20_000;

/** The API server takes a moment to notice: a cluster that comes before that would be in no set. */
async function asked(client: KubeClient, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + askedWithinMs;
  const probe = { metadata: { name: 'flotilla-probe' }, spec: {} };
  while (clock.monotonic() < deadline) {
    const { metadata } = await client.resource(managedClusters).create(probe, { dryRun: true });
    if (metadata?.labels?.[Label.ClusterSet] !== undefined) return;
    await clock.sleep(betweenLooksMs);
  }
}
