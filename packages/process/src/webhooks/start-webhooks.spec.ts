import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { json } from 'node:stream/consumers';
import { createKubeClient, realClock } from '@flotilla/kube';
import { validatingWebhookConfigurations } from '@flotilla/kube/kinds';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import { startWebhooks } from './start-webhooks.ts';
import { webhookRoute } from './webhook-route.ts';

const options = { secret: 'hub/certificate', hosts: ['127.0.0.1'], validating: ['validators'], mutating: [] } as const;
const routes = [webhookRoute({ path: '/validate', decide: () => ({ allowed: true }) })];

async function ask(url: string, caBundle: string): Promise<unknown> {
  const request = httpsRequest(`${url}/validate`, {
    method: 'POST',
    ca: Buffer.from(caBundle, 'base64'),
    agent: false,
  });
  request.end(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: { uid: 'u1', operation: 'CREATE', userInfo: {} },
    }),
  );
  const [response] = await once(request, 'response');
  return json(response);
}

it('serves on loopback, by a CA that it publishes, and is trusted by what registers it', async () => {
  const client = createKubeClient({ transport: new FakeApi(realClock), clock: realClock });
  await using webhooks = await startWebhooks({ ...options, client, clock: realClock, routes });
  const { url, caBundle } = webhooks;
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await ask(url, caBundle)).toMatchObject({ response: { uid: 'u1', allowed: true } });
  const configurations = client.resource(validatingWebhookConfigurations);
  const webhook = { name: 'w', clientConfig: { url: `${url}/validate` }, sideEffects: 'None' };
  const webhooksOf = [{ ...webhook, admissionReviewVersions: ['v1'] }];
  await configurations.create({ metadata: { name: 'validators' }, webhooks: webhooksOf });
  await expect
    .poll(async () => (await configurations.get('validators')).webhooks?.[0]?.clientConfig.caBundle)
    .toBe(caBundle);
});

it('serves with the same authority after a restart', async () => {
  const client = createKubeClient({ transport: new FakeApi(realClock), clock: realClock });
  const bundles: string[] = [];
  for (let run = 0; run < 2; run++) {
    await using webhooks = await startWebhooks({ ...options, client, clock: realClock, routes });
    bundles.push(webhooks.caBundle);
  }
  expect(bundles[1]).toBe(bundles[0]);
});
