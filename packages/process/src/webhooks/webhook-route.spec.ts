import type { AdmissionDecision, AdmissionRequest, Webhook } from '@flotilla/kube/admission';
import { describe, expect, it } from 'vitest';
import { serve } from '../serving/serve.ts';
import { webhookRoute } from './webhook-route.ts';

const address = { host: '127.0.0.1', port: 0 };
const request: AdmissionRequest = { uid: 'u1', operation: 'CREATE', userInfo: { username: 'jane' }, name: 'c1' };

async function ask(decide: Webhook['decide'], body: unknown) {
  const answered: AdmissionDecision[] = [];
  const answeredBy = (_path: string, decision: AdmissionDecision) => void answered.push(decision);
  const route = webhookRoute({ path: '/validate', decide }, { answered: answeredBy, maxBytes: 1000 });
  await using server = await serve({ address, routes: [route] });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${server.url}/validate`, { method: 'POST', body: text });
  const answer = await response.text();
  return { status: response.status, answer: response.ok ? JSON.parse(answer) : answer, answered };
}

const review = (apiVersion = 'admission.k8s.io/v1') => ({ apiVersion, kind: 'AdmissionReview', request });

describe('a webhook', () => {
  it.each(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'])('answers a review of %s in kind', async (apiVersion) => {
    const seen: AdmissionRequest[] = [];
    const { answer, answered } = await ask((asked) => {
      seen.push(asked);
      return { allowed: true };
    }, review(apiVersion));
    expect(seen).toEqual([request]);
    expect(answer).toEqual({ apiVersion, kind: 'AdmissionReview', response: { uid: 'u1', allowed: true } });
    expect(answered).toEqual([{ allowed: true }]);
  });

  it('sends its changes as a JSON patch', async () => {
    const patch = [{ op: 'add', path: '/metadata/labels', value: { a: 'b' } }] as const;
    const { answer } = await ask(() => ({ allowed: true, patch, warnings: ['careful'] }), review());
    const { patchType, patch: sent, warnings } = answer.response;
    expect([patchType, warnings]).toEqual(['JSONPatch', ['careful']]);
    expect(JSON.parse(Buffer.from(sent, 'base64').toString())).toEqual(patch);
  });

  it.each([
    [400, 'BadRequest'],
    [403, 'Forbidden'],
  ] as const)('refuses with the status %i', async (code, reason) => {
    const { answer } = await ask(() => ({ allowed: false, code, message: 'no' }), review());
    expect(answer.response.status).toEqual({ status: 'Failure', code, reason, message: 'no' });
  });

  it('reports the field to programs, and a hint to users', async () => {
    const causes = [{ field: 'spec.size', message: 'is 9' }];
    const decision = {
      allowed: false,
      code: 400,
      message: 'too large',
      causes,
      warnings: ['make it smaller'],
    } as const;
    const { answer } = await ask(() => decision, review());
    expect(answer.response.status.details).toEqual({ causes });
    expect(answer.response.warnings).toEqual(['make it smaller']);
  });

  it('refuses when it cannot decide, and says why', async () => {
    const { answer } = await ask(() => Promise.reject(new Error('the API server is away')), review());
    expect(answer.response).toMatchObject({ allowed: false, status: { code: 400 } });
    expect(answer.response.status.message).toContain('the API server is away');
  });

  it.each([
    ['no JSON', '{', /not JSON/],
    ['another kind', { apiVersion: 'v1', kind: 'Pod' }, /not an AdmissionReview/],
    ['a review without request', { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }, /with a request/],
    ['a version that is not known', review('admission.k8s.io/v2'), /send admission.k8s.io\/v1 or/],
  ])('does not take %s', async (_, body, words) => {
    const { status, answer, answered } = await ask(() => ({ allowed: true }), body);
    expect([status, answered]).toEqual([400, []]);
    expect(answer).toMatch(words);
  });

  it('does not read without end', async () => {
    const { status } = await ask(() => ({ allowed: true }), 'x'.repeat(1001));
    expect(status).toBe(413);
  });
});
