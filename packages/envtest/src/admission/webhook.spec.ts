import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { createKubeClient } from '@flotilla/kube';
import type { AdmissionDecision, AdmissionRequest } from '@flotilla/kube/admission';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { FakeClock } from '@flotilla/kube/testing';
import type { Transport } from '@flotilla/kube/transport';
import { NEVER } from 'rxjs';
import { expect, test } from 'vitest';
import { startWebhook } from './webhook.ts';
import { probeLabel, type WebhookConfiguration } from './webhook-configuration.ts';

const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'], operations: ['CREATE'] }] as const;
const clock = new FakeClock();
const ca = await createAuthority('test-ca', clock);

const admissionRequest = (labels: Record<string, string> = {}): AdmissionRequest => ({
  uid: 'u1',
  operation: 'CREATE',
  userInfo: { username: 'jane' },
  object: { metadata: { name: 'x', labels } },
  oldObject: null,
});

/** Stands for the API server: knows a registration one dry-run later than it was made or deleted, as informers do. */
function fakeServer() {
  let stored: WebhookConfiguration | undefined;
  let known: WebhookConfiguration | undefined;
  const call = async (request: AdmissionRequest): Promise<{ status: number; body: string }> => {
    const [webhook] = known?.webhooks ?? [];
    if (!webhook) throw new Error('no webhook is registered');
    const { url, caBundle } = webhook.clientConfig;
    const sent = httpsRequest(url, { method: 'POST', ca: Buffer.from(caBundle, 'base64'), agent: false });
    const answered = Promise.withResolvers<{ status: number; body: string }>();
    sent.on('error', answered.reject);
    sent.on('response', async (response) => {
      answered.resolve({ status: response.statusCode ?? 0, body: await text(response) });
    });
    sent.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }));
    return answered.promise;
  };
  const transport: Transport = {
    async request({ method, path, body = '{}' }) {
      if (method === 'DELETE') stored = undefined;
      else if (path.includes('webhookconfigurations')) stored = JSON.parse(String(body));
      else {
        if (known) await call({ ...admissionRequest(), object: JSON.parse(String(body)) });
        known = stored;
      }
      return { status: 200, headers: {}, body: String(body) };
    },
    stream: () => Promise.reject(new Error('nothing is watched here')),
    accessChanged: NEVER,
    close: async () => {},
  };
  return {
    call,
    client: createKubeClient({ transport }),
    get stored() {
      return stored;
    },
  };
}

async function start(handler: (request: AdmissionRequest) => AdmissionDecision) {
  const server = fakeServer();
  const issueServingCertificate = async () => ({
    ...(await issueCertificate(ca, { usage: 'server', hosts: ['127.0.0.1'] }, clock)),
    ca: ca.certificate,
  });
  const moving = new FakeClock();
  const running = drive(
    moving,
    startWebhook(
      { client: server.client, clock: moving, timeoutMs: 60_000, issueServingCertificate },
      { type: 'validating', name: 'guard', rules, handler },
    ),
  );
  return { server, moving, webhook: await running };
}

/** Moves the clock while the promise waits for it. */
async function drive<T>(moving: FakeClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  while (!settled) await moving.advance(1);
  return done;
}

test('it is registered at a loopback URL with the CA of its certificate', async () => {
  const { server, moving, webhook } = await start(() => ({ allowed: true }));
  expect(webhook.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/admit$/);
  expect(server.stored).toMatchObject({
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'guard' },
    webhooks: [
      {
        name: 'guard.flotilla-envtest.local',
        rules,
        failurePolicy: 'Fail',
        sideEffects: 'None',
        clientConfig: { url: webhook.url, caBundle: Buffer.from(ca.certificate).toString('base64') },
      },
      { name: 'guard-probe.flotilla-envtest.local', failurePolicy: 'Ignore' },
    ],
  });
  await drive(moving, webhook.close());
  expect(server.stored).toBeUndefined();
});

test('the handler gets the requests and its answer is the review', async () => {
  const { server, moving, webhook } = await start(({ name }) => ({
    allowed: false,
    code: 403,
    message: `no ${name ?? 'nameless'}`,
  }));
  const { body } = await server.call({ ...admissionRequest(), name: 'x' });
  expect(JSON.parse(body)).toEqual({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: 'u1',
      allowed: false,
      status: { status: 'Failure', code: 403, reason: 'Forbidden', message: 'no x' },
    },
  });
  expect(webhook.requests.map(({ name }) => name)).toEqual(['x']);
  await drive(moving, webhook.close());
});

test('a patch and warnings are passed on', async () => {
  const patch = [{ op: 'add', path: '/data', value: {} }] as const;
  const { server, moving, webhook } = await start(() => ({ allowed: true, patch, warnings: ['careful'] }));
  const { response } = JSON.parse((await server.call(admissionRequest())).body);
  expect(JSON.parse(Buffer.from(response.patch, 'base64').toString())).toEqual(patch);
  expect([response.patchType, response.warnings]).toEqual(['JSONPatch', ['careful']]);
  await drive(moving, webhook.close());
});

test('a handler that throws is a failed call, to which the failure policy applies', async () => {
  const { server, moving, webhook } = await start(() => {
    throw new Error('out of order');
  });
  expect(await server.call(admissionRequest())).toEqual({ status: 500, body: 'Error: out of order' });
  await drive(moving, webhook.close());
});

test('probes, its own and those of others, reach no handler', async () => {
  const { server, moving, webhook } = await start(() => ({ allowed: false, code: 403, message: 'no' }));
  const { response } = JSON.parse((await server.call(admissionRequest({ [probeLabel]: 'other' }))).body);
  expect([response.allowed, webhook.requests]).toEqual([true, []]);
  await drive(moving, webhook.close());
});
