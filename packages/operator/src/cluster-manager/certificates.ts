import { ConfigMapName, DataKey, Label, SecretName } from '@flotilla/api-types';
import type { CachedResource, Clock } from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import {
  authorityRenewalTime,
  createAuthority,
  issueCertificate,
  type KeyPair,
  renewalTime,
  trustBundle,
} from '@flotilla/kube/pki';
import { ensureData, ensureGone, type NamedObjects, servingSecrets } from './named-objects.ts';

const dayMs = 86_400_000;
export const defaultLifetimes = { authorityMs: 365 * dayMs, servingMs: 30 * dayMs };

/** Whose certificates are kept, and how long they live. */
export interface CertificateInput {
  readonly objects: NamedObjects;
  readonly clock: Clock;
  readonly namespace: string;
  /** On each object. */
  readonly labels: Readonly<Record<string, string>>;
  readonly lifetimes: typeof defaultLifetimes;
  /** The Secrets of servers, each with the names by which it is reached. Undefined: its address is not known yet. */
  readonly servers: Readonly<Record<string, readonly string[] | undefined>>;
}

/** The authorities to trust, and when a certificate is to be renewed next. */
export interface KeptCertificates {
  /** PEM. */
  readonly bundle: string;
  readonly renewAt: number;
}

/**
 * Keeps what servers of the hub are trusted by, under OCM's names: the authority, the bundle of authorities that have not ended, and
 * the certificate of each server. The bundle is written before anything is signed by a new authority, so that who trusts it trusts
 * all that comes.
 */
export async function keepCertificates(input: CertificateInput): Promise<KeptCertificates> {
  const { authority, renewAt } = await keepAuthority(input);
  const bundle = await keepBundle(input, authority);
  const times = [renewAt];
  for (const name of servingSecrets) {
    const hosts = input.servers[name];
    if (hosts) times.push(await keepServing(input, { name, hosts, authority, bundle }));
    else if (!(name in input.servers)) await removeServing(input, name);
  }
  return { bundle, renewAt: Math.min(...times) };
}

/** One without the label is of somebody else, such as of a cluster proxy that keeps its own certificate. */
async function removeServing({ objects, namespace }: CertificateInput, name: string): Promise<void> {
  const key = `${namespace}/${name}`;
  const isOurs = objects.secret(name).get(key)?.metadata?.labels?.[Label.CreatedByClusterManager] !== undefined;
  if (isOurs) await ensureGone(objects.secret(name), key);
}

async function keepAuthority(input: CertificateInput): Promise<{ authority: KeyPair; renewAt: number }> {
  const { objects, clock, namespace, lifetimes } = input;
  const cache = objects.secret(SecretName.Signer);
  const authority = pairOf(cache.get(`${namespace}/${SecretName.Signer}`));
  const renewAt = authorityRenewalTime(authority.certificate, clock.now());
  if (renewAt !== undefined && renewAt > clock.now()) return { authority, renewAt };
  // A name of its own, because a verifier may find an issuer by its name.
  const name = `cluster-manager-webhook@${Math.floor(clock.now() / 1000)}`;
  const made = await createAuthority(name, clock, { ttlMs: lifetimes.authorityMs });
  await store(cache, input, SecretName.Signer, made);
  return { authority: made, renewAt: authorityRenewalTime(made.certificate, clock.now()) ?? clock.now() };
}

async function keepBundle(input: CertificateInput, { certificate }: KeyPair): Promise<string> {
  const { objects, clock, namespace, labels } = input;
  const cache = objects.configMap(ConfigMapName.CaBundle);
  const earlier = cache.get(`${namespace}/${ConfigMapName.CaBundle}`)?.data?.[DataKey.CaBundle] ?? '';
  const bundle = trustBundle(certificate, earlier, clock.now());
  const metadata = { namespace, name: ConfigMapName.CaBundle, labels: { ...labels } };
  await ensureData(cache, { metadata, data: { [DataKey.CaBundle]: bundle } });
  return bundle;
}

interface Serving {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly authority: KeyPair;
  readonly bundle: string;
}

async function keepServing(input: CertificateInput, { name, hosts, authority, bundle }: Serving): Promise<number> {
  const { objects, clock, namespace, lifetimes } = input;
  const cache = objects.secret(name);
  const stored = pairOf(cache.get(`${namespace}/${name}`));
  const renewAt = renewalTime({ ...stored, ca: bundle }, hosts, clock.now());
  if (renewAt !== undefined && renewAt > clock.now()) return renewAt;
  const request = { usage: 'server', name: hosts[0] ?? name, hosts, ttlMs: lifetimes.servingMs } as const;
  const leaf = await issueCertificate(authority, { ...request, name: request.name.slice(0, 64) }, clock);
  // With its authority, so that a joining cluster can compare that with the hash in its join command.
  await store(cache, input, name, { ...leaf, certificate: `${leaf.certificate}${authority.certificate}` });
  return renewalTime({ ...leaf, ca: bundle }, hosts, clock.now()) ?? clock.now() + 1000;
}

const decoded = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString('utf8');
const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Of a chain the first certificate counts. */
const pairOf = (secret: Secret | undefined): KeyPair => ({
  certificate: decoded(secret?.data?.[DataKey.TlsCertificate]),
  key: decoded(secret?.data?.[DataKey.TlsKey]),
});

const store = (
  cache: CachedResource<Secret>,
  { namespace, labels }: CertificateInput,
  name: string,
  { certificate, key }: KeyPair,
): Promise<void> =>
  ensureData(cache, {
    metadata: { namespace, name, labels: { ...labels } },
    type: 'kubernetes.io/tls',
    data: { [DataKey.TlsCertificate]: encoded(certificate), [DataKey.TlsKey]: encoded(key) },
  });
