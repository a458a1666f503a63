import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Clock, KubeClient } from '@flotilla/kube';
import { type AdmissionDecision, type AdmissionRequest, readReview, reviewText } from '@flotilla/kube/admission';
import { configMaps } from '@flotilla/kube/kinds';
import type { KeyPair } from '@flotilla/kube/pki';
import type { KubeObject } from '@flotilla/schema';
import { waitUntil } from '../wait.ts';
import {
  configurationsOf,
  probeLabel,
  type WebhookRegistration,
  webhookConfiguration,
} from './webhook-configuration.ts';

/** A webhook that a test answers itself. */
export interface WebhookOptions extends Omit<WebhookRegistration, 'url' | 'ca'> {
  /** Answers each request; what it throws is answered with status 500, to which the failure policy applies. */
  handler: (request: AdmissionRequest) => AdmissionDecision | Promise<AdmissionDecision>;
}

/** A registered webhook; the registration is removed when it is disposed. */
export interface Webhook extends AsyncDisposable {
  readonly url: string;
  /** The requests that came, in order. */
  readonly requests: readonly AdmissionRequest[];
  close(): Promise<void>;
}

/** What registering needs. */
export interface WebhookContext {
  client: KubeClient;
  clock: Clock;
  timeoutMs: number;
  issueServingCertificate: () => Promise<KeyPair & { ca: string }>;
}

/** Registers a webhook that the caller serves. */
export async function registerWebhook(
  client: KubeClient,
  registration: WebhookRegistration,
  probe?: string,
): Promise<AsyncDisposable> {
  const configurations = client.resource(configurationsOf(registration.type));
  await configurations.create(webhookConfiguration(registration, probe));
  return { [Symbol.asyncDispose]: () => configurations.delete(registration.name) };
}

/** Serves a webhook on loopback, registers it, and resolves when the API server calls it. */
export async function startWebhook(context: WebhookContext, options: WebhookOptions): Promise<Webhook> {
  const { handler, ...registration } = options;
  const { ca, certificate, key } = await context.issueServingCertificate();
  const probe = randomUUID();
  const requests: AdmissionRequest[] = [];
  let probed = false;
  const answer = (request: AdmissionRequest): AdmissionDecision | Promise<AdmissionDecision> => {
    const sent = (request.object as KubeObject | null | undefined)?.metadata?.labels?.[probeLabel];
    if (sent !== undefined) {
      probed ||= sent === probe;
      return { allowed: true };
    }
    requests.push(request);
    return handler(request);
  };

  const server = await listen({ certificate, key }, answer);
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/admit`;
  /** Sends the API server something that only the probe webhook sees, to find out whether the registration has taken effect. */
  const isCalled = async (): Promise<boolean> => {
    probed = false;
    const metadata = { name: `probe-${probe}`, namespace: 'default', labels: { [probeLabel]: probe } };
    await context.client.resource(configMaps).create({ metadata }, { dryRun: true });
    return probed;
  };
  const wait = { ...context, intervalMs: 20 };
  let registered: AsyncDisposable | undefined;
  const close = async () => {
    try {
      await registered?.[Symbol.asyncDispose]();
      // Until the API server has noticed, it would call a server that is gone.
      await waitUntil(`webhook ${options.name} is no longer called`, async () => !(await isCalled()), wait);
    } finally {
      await closeServer(server);
    }
  };
  try {
    registered = await registerWebhook(context.client, { ...registration, url, ca }, probe);
    await waitUntil(`webhook ${options.name} is called`, isCalled, wait);
  } catch (error) {
    await closeServer(server);
    throw error;
  }
  return { url, requests, close, [Symbol.asyncDispose]: close };
}

async function listen(
  { certificate, key }: KeyPair,
  answer: (request: AdmissionRequest) => AdmissionDecision | Promise<AdmissionDecision>,
): Promise<Server> {
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    try {
      const review = readReview(await text(request));
      if (typeof review === 'string') return response.writeHead(400).end(review);
      const body = reviewText(review, await answer(review.request));
      return response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    } catch (error) {
      return response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
