import { startControlPlane } from '@flotilla/control-plane';
import { createInformers, createKubeClient, type Informers, KubeError, realClock } from '@flotilla/kube';
import { type CertificateSigningRequest, certificateSigningRequests } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { createCertificateRequest, createKey } from './certificate-request.ts';
import { watchOwnRequests } from './own-requests.ts';
import { clusterTemplate, requestName, signingRequest } from './request.template.ts';
import { clusterSubject } from './subject.ts';

it('finds the request for a key, and keeps no body of those that others label with the name of the cluster', async () => {
  await using plane = await startControlPlane({ listen: false });
  const hub = plane.client;
  const identity = { clusterName: 'c1', agentName: 'a1' };
  const template = clusterTemplate(identity, 'kubernetes.io/kube-apiserver-client');
  const key = createKey();
  const pem = await createCertificateRequest(key, template.subject);
  const name = requestName(template, key);
  const own = signingRequest(template, { name, pem, expirationSeconds: 0 });
  const requests = hub.resource(certificateSigningRequests);
  await requests.create(own);
  const forged = { ...own.metadata, name: 'c1-forged', annotations: { note: 'x'.repeat(200_000) } };
  await requests.create({ ...own, metadata: forged });

  using informers = createInformers({ client: hub, clock: realClock });
  const kept: (() => readonly unknown[])[] = [];
  const observed = {
    ...informers,
    resource(...selection: Parameters<Informers['resource']>) {
      const cache = informers.resource(...selection);
      kept.push(() => cache.list());
      return cache;
    },
  } as Informers;
  const stop = new AbortController();
  const options = { identity, template, made: new Set<string>() };
  const watched = watchOwnRequests({ hub, informers: observed, signal: stop.signal, wake() {} }, options);
  expect(await watched.nameFor(key)).toBe(name);
  expect(await watched.nameFor(createKey())).toBeUndefined();
  expect(await watched.countUndecided(false)).toBe(0);
  watched.remember(name);
  watched.remember('c1-decided');
  expect(await watched.countUndecided(false)).toBe(1);
  expect([...options.made]).toEqual([name]);
  expect(kept.map((list) => list().length)).toEqual([2]);
  expect(JSON.stringify(kept.map((list) => list())).length).toBeLessThan(4000);
  stop.abort();
});

it.each([
  ['reports who asks', false],
  ['does not, as servers before Kubernetes 1.28', true],
])('knows a request of the bootstrap user from its own on a hub that %s', async (_, isOld) => {
  await using plane = await startControlPlane({ listen: false });
  const identity = { clusterName: 'c1', agentName: 'a1' };
  const template = clusterTemplate(identity, 'kubernetes.io/kube-apiserver-client');
  const agentUser = clusterSubject(identity).user;
  const { transport } = plane.clientOf({ name: agentUser, groups: ['system:authenticated', 'system:masters'] });
  const hub = createKubeClient({
    transport: {
      ...transport,
      stream: (request) => transport.stream(request),
      async request(request) {
        if (isOld && request.path.includes('selfsubjectreviews')) throw new KubeError('NotFound', 'no such kind');
        return transport.request(request);
      },
    },
  });
  using informers = createInformers({ client: hub, clock: realClock });
  const stop = new AbortController();
  const context = { hub, informers, signal: stop.signal, wake() {} };
  const requests = watchOwnRequests(context, { identity, template, made: new Set() });
  const sentBy = (username: string): CertificateSigningRequest => ({
    metadata: { name: 'c1-x' },
    spec: { request: '', signerName: 's', username },
  });
  expect(await requests.isOfBootstrapUser(sentBy('bootstrapper'))).toBe(true);
  expect(await requests.isOfBootstrapUser(sentBy(agentUser))).toBe(false);
  stop.abort();
});
