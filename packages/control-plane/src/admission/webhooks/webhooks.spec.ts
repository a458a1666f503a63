import { KubeError } from '@flotilla/kube';
import {
  type ConfigMap,
  configMaps,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import { startTestPlane, type TestPlane } from '../../../fixtures/test-plane.ts';
import { type Answer, allow, patchAnswer, type Review, serveWebhook } from '../../../fixtures/webhook-server.ts';
import type { Webhook } from './configuration.ts';

const configMapRule = {
  operations: ['CREATE', 'UPDATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
};

type Given = Partial<Webhook> & Pick<Webhook, 'clientConfig'>;

const register = (plane: TestPlane, kind: 'mutating' | 'validating', name: string, webhook: Given) => {
  const type = kind === 'mutating' ? mutatingWebhookConfigurations : validatingWebhookConfigurations;
  const whole = {
    name: `${name}.example.com`,
    rules: [configMapRule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...webhook,
  };
  return plane.client.resource<object>(type).create({ metadata: { name }, webhooks: [whole] } as object);
};

const create = (plane: TestPlane, object: ConfigMap = {}, options = {}) =>
  plane.client
    .resource(configMaps)
    .create({ ...object, metadata: { namespace: 'default', name: 'a', ...object.metadata } }, options);

const statusOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (caught) => KubeError.from(caught),
  );
  if (!error) throw new Error('nothing was refused');
  return error.apiStatus;
};

const deny = (status?: object): Answer => ({ response: { allowed: false, ...(status && { status }) } });

describe('admission webhooks', () => {
  it('sends a webhook the whole request and applies its patch', async () => {
    await using server = await serveWebhook(() =>
      patchAnswer({ op: 'add', path: '/data', value: { from: 'webhook' } }),
    );
    const plane = await startTestPlane();
    await register(plane, 'mutating', 'hook', { clientConfig: { url: server.url, caBundle: server.caBundle } });
    const created = await create(plane);
    expect(created.data).toEqual({ from: 'webhook' });
    expect(server.reviews[0]).toMatchObject({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      request: {
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        name: 'a',
        namespace: 'default',
        operation: 'CREATE',
        userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', namespace: 'default' } },
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      },
    });
    plane.caller.close();
  });

  it('keeps one connection for many requests', async () => {
    await using server = await serveWebhook(() => allow);
    const plane = await startTestPlane();
    await register(plane, 'validating', 'hook', { clientConfig: { url: server.url, caBundle: server.caBundle } });
    for (const name of ['a', 'b', 'c']) await create(plane, { metadata: { name } });
    expect(server.reviews).toHaveLength(3);
    expect(server.connections).toBe(1);
    plane.caller.close();
  });

  const refusals: Record<string, [Answer, object]> = {
    'with its own message, code and reason': [
      deny({ message: 'no way', code: 403, reason: 'Forbidden' }),
      { code: 403, reason: 'Forbidden', message: 'admission webhook "hook.example.com" denied the request: no way' },
    ],
    'with a code that is none of a failure, which becomes 400': [
      deny({ message: 'no', code: 200, status: 'Success' }),
      { code: 400, status: 'Failure', message: 'admission webhook "hook.example.com" denied the request: no' },
    ],
    'without a word': [
      deny(),
      { code: 400, message: 'admission webhook "hook.example.com" denied the request without explanation' },
    ],
  };
  it.each(Object.entries(refusals))('reports a refusal %s', async (_name, [answer, expected]) => {
    await using server = await serveWebhook(() => answer);
    const plane = await startTestPlane();
    await register(plane, 'validating', 'hook', { clientConfig: { url: server.url, caBundle: server.caBundle } });
    expect(await statusOf(create(plane))).toMatchObject(expected);
    plane.caller.close();
  });

  const failures: Record<string, [Answer, string]> = {
    'a server error': [
      { status: 500, body: 'oops' },
      'failed to call webhook: an error on the server ("oops") has prevented the request from succeeding',
    ],
    'a path it does not know': [
      { status: 404, body: '' },
      'failed to call webhook: the server could not find the requested resource',
    ],
    'an answer to another question': [
      { response: { uid: 'other', allowed: true } },
      'received invalid webhook response: expected response.uid=',
    ],
    'a patch from one that may only validate': [
      patchAnswer({ op: 'remove', path: '/data' }),
      'received invalid webhook response: validating webhook may not return response.patch',
    ],
  };
  it.each(Object.entries(failures))(
    'fails the request on %s, or ignores the failure if configured so',
    async (_name, [answer, why]) => {
      await using server = await serveWebhook(() => answer);
      const plane = await startTestPlane();
      const clientConfig = { url: server.url, caBundle: server.caBundle };
      await register(plane, 'validating', 'hook', { clientConfig });
      const status = await statusOf(create(plane));
      expect(status).toMatchObject({ code: 500, reason: 'InternalError' });
      expect(status?.message).toContain(`Internal error occurred: failed calling webhook "hook.example.com": ${why}`);
      await plane.client.resource(validatingWebhookConfigurations).delete('hook');
      await register(plane, 'validating', 'hook', { clientConfig, failurePolicy: 'Ignore' });
      await create(plane);
      plane.caller.close();
    },
  );

  it('does not believe a server whose certificate the bundle does not vouch for', async () => {
    await using server = await serveWebhook(() => allow);
    await using other = await serveWebhook(() => allow);
    const plane = await startTestPlane();
    await register(plane, 'validating', 'hook', { clientConfig: { url: server.url, caBundle: other.caBundle } });
    expect((await statusOf(create(plane)))?.message).toContain('tls: failed to verify certificate');
    expect(server.reviews).toHaveLength(0);
    plane.caller.close();
  });

  it('reports a refused connection', async () => {
    const plane = await startTestPlane();
    await register(plane, 'validating', 'hook', { clientConfig: { url: 'https://127.0.0.1:1/x' } });
    expect((await statusOf(create(plane)))?.message).toBe(
      'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });

  it('waits no longer than the webhook may take', async () => {
    await using server = await serveWebhook(() => 'silence');
    const plane = await startTestPlane();
    const clientConfig = { url: server.url, caBundle: server.caBundle };
    await register(plane, 'validating', 'hook', { clientConfig, timeoutSeconds: 2 });
    const answered = statusOf(create(plane));
    await expect.poll(() => server.reviews.length).toBe(1);
    await plane.clock.advance(2000);
    expect((await answered)?.message).toContain('?timeout=2s": context deadline exceeded');
    plane.caller.close();
  });

  it('reaches a service where the resolver says, under the name of the service', async () => {
    await using server = await serveWebhook(() => allow, ['hook.system.svc']);
    const service = { namespace: 'system', name: 'hook', path: '/check' };
    const plane = await startTestPlane({ resolveService: () => server.url });
    await register(plane, 'validating', 'hook', { clientConfig: { service, caBundle: server.caBundle } });
    await create(plane);
    expect(server.reviews).toHaveLength(1);
    plane.caller.close();
  });

  it('says that a service cannot be reached without a network', async () => {
    const plane = await startTestPlane();
    await register(plane, 'validating', 'hook', { clientConfig: { service: { namespace: 'system', name: 'hook' } } });
    expect((await statusOf(create(plane)))?.message).toContain(
      'service "system/hook" cannot be reached: this control plane has no cluster network',
    );
  });

  it('does not ask a webhook with side effects on a dry run', async () => {
    await using server = await serveWebhook(() => allow);
    const plane = await startTestPlane();
    const clientConfig = { url: server.url, caBundle: server.caBundle };
    await register(plane, 'validating', 'hook', { clientConfig });
    // A configuration from a time when more was allowed.
    const storage = 'admissionregistration.k8s.io/validatingwebhookconfigurations';
    const [stored] = plane.backend.storage.list(storage);
    const [webhook] = Reflect.get(stored ?? {}, 'webhooks');
    plane.backend.storage.put(storage, 'hook', { ...stored, ...{ webhooks: [{ ...webhook, sideEffects: 'Some' }] } });
    expect(await statusOf(create(plane, {}, { dryRun: true }))).toMatchObject({
      code: 400,
      message: 'admission webhook "hook.example.com" does not support dry run',
    });
    expect(server.reviews).toHaveLength(0);
    plane.caller.close();
  });

  it('asks in the order of names and lets each see what the ones before did', async () => {
    const seen: unknown[] = [];
    const append = (letter: string) => (review: Review) => {
      const data = review.request.object?.data as { order?: string } | undefined;
      seen.push(data?.order);
      return patchAnswer({ op: 'replace', path: '/data/order', value: `${data?.order}${letter}` });
    };
    await using first = await serveWebhook(append('1'));
    await using second = await serveWebhook(append('2'));
    const plane = await startTestPlane();
    await register(plane, 'mutating', 'b', { clientConfig: { url: second.url, caBundle: second.caBundle } });
    await register(plane, 'mutating', 'a', { clientConfig: { url: first.url, caBundle: first.caBundle } });
    expect((await create(plane, { data: { order: '0' } })).data).toEqual({ order: '012' });
    expect(seen).toEqual(['0', '01']);
    plane.caller.close();
  });

  it('asks an early webhook again if a later one changed the object, once, and only if it wants that', async () => {
    const label = (name: string) => () => patchAnswer({ op: 'add', path: `/data/${name}`, value: 'x' });
    await using eager = await serveWebhook(label('eager'));
    await using never = await serveWebhook(label('never'));
    await using late = await serveWebhook(label('late'));
    const plane = await startTestPlane();
    const clientConfig = ({ url, caBundle }: { url: string; caBundle: string }) => ({
      clientConfig: { url, caBundle },
    });
    await register(plane, 'mutating', 'a', { ...clientConfig(eager), reinvocationPolicy: 'IfNeeded' });
    await register(plane, 'mutating', 'b', clientConfig(never));
    await register(plane, 'mutating', 'c', { ...clientConfig(late), reinvocationPolicy: 'IfNeeded' });
    await create(plane, { data: { given: 'x' } });
    expect([eager, never, late].map(({ reviews }) => reviews.length)).toEqual([2, 1, 1]);
    expect(eager.reviews[1]?.request.object?.data).toEqual({ given: 'x', eager: 'x', never: 'x', late: 'x' });
    plane.caller.close();
  });

  it('passes warnings on', async () => {
    await using server = await serveWebhook(() => ({ response: { allowed: true, warnings: ['mind the gap'] } }));
    const plane = await startTestPlane();
    await register(plane, 'validating', 'hook', { clientConfig: { url: server.url, caBundle: server.caBundle } });
    const answer = await plane.client.transport.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      body: JSON.stringify({ metadata: { name: 'a' } }),
    });
    expect(answer.headers.warning).toBe('299 - "mind the gap"');
    plane.caller.close();
  });

  it('never asks about webhook configurations', async () => {
    await using server = await serveWebhook(() => deny());
    const plane = await startTestPlane();
    const allResources = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] };
    const clientConfig = { url: server.url, caBundle: server.caBundle };
    await register(plane, 'validating', 'hook', { clientConfig, rules: [allResources] });
    await plane.client.resource(validatingWebhookConfigurations).delete('hook');
    expect(server.reviews).toHaveLength(0);
    plane.caller.close();
  });
});
