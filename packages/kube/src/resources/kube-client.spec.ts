import { describe, expect, it } from 'vitest';
import { certificateSigningRequests, deployments, namespaces, tokenReviews } from '../kinds/built-in-kinds.ts';
import { createToken, evictPod, scale, setApproval } from '../kinds/subresource-calls.ts';
import { silentLogger } from '../log/logger.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ScriptedTransport } from '../testing/scripted-transport.ts';
import { createKubeClient } from './kube-client.ts';
import { parseWarnings } from './warnings.ts';

const scripted = (...args: ConstructorParameters<typeof ScriptedTransport>) => {
  const transport = new ScriptedTransport(...args);
  return { transport, client: createKubeClient({ transport, clock: new FakeClock() }) };
};

const bodyOf = (transport: ScriptedTransport) => JSON.parse(String(transport.last.body));

describe('a client', () => {
  it('finds dynamic kinds by discovery', async () => {
    const { client, transport } = scripted(({ path }) => {
      if (path === '/api') return { body: { kind: 'APIGroupDiscoveryList', items: [] } };
      if (path !== '/apis') return { body: {} };
      const widget = { resource: 'widgets', responseKind: { kind: 'Widget' }, scope: 'Namespaced' };
      const item = { metadata: { name: 'x.io' }, versions: [{ version: 'v1', resources: [widget] }] };
      return { body: { kind: 'APIGroupDiscoveryList', items: [item] } };
    });
    const widgets = await client.dynamic({ apiVersion: 'x.io/v1', kind: 'Widget' });
    await widgets.get('a/b');
    expect(transport.last.path).toBe('/apis/x.io/v1/namespaces/a/widgets/b');
  });

  it('creates kinds that are only questions', async () => {
    const { client, transport } = scripted(() => ({ body: { spec: {}, status: { authenticated: true } } }));
    const { status } = await client.resource(tokenReviews).create({ spec: { token: 't' } });
    expect(status?.authenticated).toBe(true);
    expect(transport.last.path).toBe('/apis/authentication.k8s.io/v1/tokenreviews');
    expect(bodyOf(transport)).toEqual({
      spec: { token: 't' },
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
    });
  });

  it('applies as its field manager, or as that of the call, and refuses to apply without one', async () => {
    const transport = new ScriptedTransport();
    const space = { metadata: { name: 'a' } };
    const handle = createKubeClient({ transport, fieldManager: 'mine' }).resource(namespaces);
    await handle.apply(space);
    expect(transport.last.path).toContain('fieldManager=mine');
    await handle.apply(space, { fieldManager: 'other' });
    expect(transport.last.path).toContain('fieldManager=other');
    await expect(createKubeClient({ transport }).resource(namespaces).apply(space)).rejects.toMatchObject({
      code: 'BadRequest',
      hint: 'Give `fieldManager` to createKubeClient, or to this call.',
    });
  });

  it('lists all namespaces when the namespace is empty, as client-go does', async () => {
    const { client, transport } = scripted(() => ({ body: { metadata: {}, items: [] } }));
    await client.resource(deployments).list({ namespace: '' });
    expect(transport.last.path).toMatch(/^\/apis\/apps\/v1\/deployments/);
  });

  it('finds the cluster as kubectl does without being given access, and names the places that it searched', async () => {
    await using client = createKubeClient({ env: { KUBECONFIG: '/nonexistent' } });
    await expect(client.resource(namespaces).list()).rejects.toThrow(/^Config: .*\/nonexistent/);
  });

  it('logs each warning of the server once', async () => {
    const warnings: unknown[] = [];
    const transport = new ScriptedTransport(() => ({
      headers: { warning: '299 - "v1beta1 is deprecated", 299 - "unknown field \\"x\\""' },
      body: {},
    }));
    const log = {
      ...silentLogger,
      warn: (_message: string, fields?: Record<string, unknown>) => warnings.push(fields?.warning),
    };
    const client = createKubeClient({ transport, log });
    await client.resource(namespaces).get('a');
    await client.resource(namespaces).get('b');
    expect(warnings).toEqual(['v1beta1 is deprecated', 'unknown field "x"']);
  });

  it.each(['', 'nonsense', '299 - unquoted', '299 - "open'])('makes nothing of the warning %j', (header) => {
    expect(parseWarnings(header)).toEqual([]);
  });
});

describe('a call of a subresource', () => {
  it('asks for a token', async () => {
    const { client, transport } = scripted(() => ({
      body: { status: { token: 't', expirationTimestamp: '2026-01-01T01:00:00Z' } },
    }));
    const token = await createToken(client, 'a/sa', { expirationSeconds: 600, audiences: ['x'] });
    expect(token).toEqual({ token: 't', expirationTimestamp: '2026-01-01T01:00:00Z' });
    expect(transport.last).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/a/serviceaccounts/sa/token' });
    expect(bodyOf(transport).spec).toEqual({ expirationSeconds: 600, audiences: ['x'] });
  });

  it('refuses an answer without a token', async () => {
    await expect(createToken(scripted().client, 'a/sa')).rejects.toMatchObject({ code: 'Decode' });
  });

  it('evicts a pod, and takes absence for success', async () => {
    const { client, transport } = scripted(() => ({ status: 404, body: '' }));
    await evictPod(client, 'a/p', { gracePeriodSeconds: 0 });
    expect(transport.last.path).toBe('/api/v1/namespaces/a/pods/p/eviction');
    expect(bodyOf(transport)).toMatchObject({
      metadata: { namespace: 'a', name: 'p' },
      deleteOptions: { gracePeriodSeconds: 0 },
    });
  });

  it('passes on that a disruption budget forbids it now', async () => {
    const { client } = scripted(() => ({
      status: 429,
      body: { kind: 'Status', reason: 'TooManyRequests', message: 'budget' },
    }));
    await expect(evictPod(client, 'a/p')).rejects.toMatchObject({ code: 'TooManyRequests', retryable: true });
  });

  it('scales', async () => {
    const { client, transport } = scripted();
    await scale(client, deployments, 'a/d', 3);
    expect(transport.last.path).toBe('/apis/apps/v1/namespaces/a/deployments/d/scale');
    expect(bodyOf(transport)).toEqual({ spec: { replicas: 3 } });
  });

  const request = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: certificateSigningRequests.kind,
    metadata: { name: 'csr', resourceVersion: '4' },
    spec: { request: 'eA==', signerName: 'kubernetes.io/kube-apiserver-client' },
  };
  const approval = { type: 'Approved' as const, reason: 'AutoApproved', message: 'by rule' };

  it('approves a certificate signing request', async () => {
    const { client, transport } = scripted();
    await setApproval(client, request, approval, { now: 0 });
    expect(transport.last).toMatchObject({
      method: 'PUT',
      path: '/apis/certificates.k8s.io/v1/certificatesigningrequests/csr/approval',
    });
    expect(bodyOf(transport)).toMatchObject({
      metadata: { resourceVersion: '4' },
      status: { conditions: [{ ...approval, status: 'True', lastUpdateTime: '1970-01-01T00:00:00Z' }] },
    });
  });

  it('does not approve twice', async () => {
    const { client, transport } = scripted();
    const approved = { ...request, status: { conditions: [{ ...approval, status: 'True' }] } };
    expect(await setApproval(client, approved, approval, { now: 0 })).toBe(approved);
    expect(transport.requests).toHaveLength(0);
  });
});
