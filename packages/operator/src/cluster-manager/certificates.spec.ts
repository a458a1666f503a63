import { X509Certificate } from 'node:crypto';
import { SecretName } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { createInformers, type Informers } from '@flotilla/kube';
import { configMaps, namespaces, secrets } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { certificateBlocks } from '@flotilla/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CertificateInput, keepCertificates } from './certificates.ts';
import { createNamedObjects, type NamedObjects } from './named-objects.ts';

let plane: ControlPlane;
let clock: FakeClock;
let informers: Informers;
let objects: NamedObjects;

beforeEach(async () => {
  clock = new FakeClock();
  plane = await startControlPlane({ listen: false, clock });
  for (const name of ['hub', 'other']) await plane.client.resource(namespaces).create({ metadata: { name } });
  informers = createInformers({ client: plane.client, clock });
  objects = createNamedObjects(informers);
  for (const cache of objects.all) await cache.whenSynced();
});
afterEach(async () => {
  informers.close();
  await plane.stop();
});

const servers = { [SecretName.WorkWebhookServingCert]: ['work.hub.svc'] };
const keep = async (more: Partial<CertificateInput> = {}) => {
  const kept = await keepCertificates({
    objects,
    clock,
    namespace: 'hub',
    labels: {},
    lifetimes: { authorityMs: 30_000, servingMs: 10_000 },
    servers,
    ...more,
  });
  await clock.settle();
  return kept;
};

const certificate = async (name: string, namespace = 'hub'): Promise<X509Certificate> => {
  const { data } = await plane.client.resource(secrets).get(`${namespace}/${name}`);
  return new X509Certificate(Buffer.from(data?.['tls.crt'] ?? '', 'base64'));
};
const bundle = async (namespace = 'hub') => {
  const { data } = await plane.client.resource(configMaps).get(`${namespace}/ca-bundle-configmap`);
  return certificateBlocks(data?.['ca-bundle.crt'] ?? '');
};
const cached = () =>
  expect.poll(async () => {
    await clock.settle();
    return objects.secret(SecretName.WorkWebhookServingCert).has('hub/work-webhook-serving-cert');
  });

describe('the certificates of a hub', () => {
  it('[cli C19] are valid at any time, and their issuer is in the bundle', async () => {
    const { renewAt } = await keep();
    await cached().toBe(true);
    let next = renewAt;
    const authorities = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      await clock.advance(Math.max(1, next - clock.now()));
      next = (await keep()).renewAt;
      const leaf = await certificate(SecretName.WorkWebhookServingCert);
      const trusted = (await bundle()).map((pem) => new X509Certificate(pem));
      expect(leaf.validToDate.getTime()).toBeGreaterThan(clock.now());
      expect(trusted.some((authority) => leaf.verify(authority.publicKey))).toBe(true);
      expect((await certificate(SecretName.Signer)).validToDate.getTime()).toBeGreaterThan(clock.now());
      for (const { fingerprint256 } of trusted) authorities.add(fingerprint256);
    }
    expect(authorities.size).toBeGreaterThan(3);
  });

  it('are not written again before their time', async () => {
    await keep();
    await cached().toBe(true);
    const before = (await certificate(SecretName.WorkWebhookServingCert)).fingerprint256;
    await keep();
    expect((await certificate(SecretName.WorkWebhookServingCert)).fingerprint256).toBe(before);
  });

  it('[cli C20] are those of one hub each', async () => {
    await keep();
    await keep({ namespace: 'other' });
    expect(await bundle('other')).not.toEqual(await bundle());
    await expect(keep({ namespace: 'absent' })).rejects.toThrow(/absent/);
  });

  it('[cli C23] [grpc-cloudevents 26.7-67] have the names by which the gRPC server is reached, and wait while they are not known', async () => {
    const name = SecretName.GrpcServerServingCert;
    await keep({ servers: { [name]: undefined } });
    expect(await plane.client.resource(secrets).find(`hub/${name}`)).toBeUndefined();
    const hosts = ['cluster-manager-grpc-server.hub.svc', 'grpc.example.com', '10.0.0.7'];
    await keep({ servers: { [name]: hosts } });
    const { subjectAltName = '' } = await certificate(name);
    for (const host of hosts) expect(subjectAltName).toContain(host);
  });
});
