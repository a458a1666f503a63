import { ConfigMapName, DataKey, SecretName } from '@flotilla/api-types';
import {
  after,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  type Informers,
  KubeError,
  on,
} from '@flotilla/kube';
import { configMaps, type Secret, secrets } from '@flotilla/kube/kinds';
import {
  authorityRenewalTime,
  createAuthority,
  issueCertificate,
  type KeyPair,
  renewalTime,
  trustBundle,
} from '@flotilla/kube/pki';
import { of } from 'rxjs';

/** Whose certificates are kept, and for which names. */
export interface GrpcCertificates {
  /** Of the hub. */
  readonly namespace: string;
  /** Names and addresses by which agents reach the gRPC server. */
  readonly hosts: readonly string[];
  /** Default: a year for the authority, 30 days for the server. */
  readonly authorityLifeMs?: number;
  readonly servingLifeMs?: number;
}

const dayMs = 86_400_000;
/** Marks what this controller made. What others made, such as an operator, cert-manager or the user, is used and never changed. */
const mark = { 'app.kubernetes.io/managed-by': 'flotilla-hub' };
const [markKey, markValue] = Object.entries(mark)[0] ?? ['', ''];

/**
 * Keeps what gRPC is trusted by, under the names of OCM: the authority that signs client certificates, the bundle of authorities that
 * servers and agents trust, and the certificate of the server. Each is renewed before it ends; an authority that was replaced stays in
 * the bundle until then, so that no cluster has to join again.
 */
export function grpcCertificatesController(
  { namespace, hosts, authorityLifeMs = 365 * dayMs, servingLifeMs = 30 * dayMs }: GrpcCertificates,
  { informers, clock }: { readonly informers: Informers; readonly clock: Clock },
): Controller {
  const keyOf = (name: string) => `${namespace}/${name}`;
  const selected = (name: string) => ({ namespace, fieldSelector: `metadata.name=${name}` });
  const signers = informers.resource(secrets, selected(SecretName.Signer));
  const bundles = informers.resource(configMaps, selected(ConfigMapName.CaBundle));
  const servings = informers.resource(secrets, selected(SecretName.GrpcServerServingCert));
  const [signerKey, bundleKey] = [keyOf(SecretName.Signer), keyOf(ConfigMapName.CaBundle)];
  const toSigner = () => signerKey;

  /** The authority, made or replaced if that is ours to do, and when to check again. */
  async function keepAuthority(): Promise<{ authority: KeyPair; nextAt: number }> {
    const stored = signers.get(signerKey);
    const authority = pairOf(stored);
    const renewAt = authorityRenewalTime(authority.certificate, clock.now());
    if (stored && !isOurs(stored)) {
      if (renewAt === undefined) throw unusable(signerKey);
      return { authority, nextAt: Number.POSITIVE_INFINITY };
    }
    if (renewAt !== undefined && renewAt > clock.now()) return { authority, nextAt: renewAt };
    // A name of its own, because a verifier may find an issuer by its name.
    const made = await createAuthority(`flotilla-grpc@${clock.now()}`, clock, { ttlMs: authorityLifeMs });
    await store(signers, stored, { namespace, name: SecretName.Signer }, made);
    return { authority: made, nextAt: authorityRenewalTime(made.certificate, clock.now()) ?? clock.now() };
  }

  async function keepBundle(authority: KeyPair): Promise<string> {
    const stored = bundles.get(bundleKey);
    const current = stored?.data?.[DataKey.CaBundle] ?? '';
    if (stored && !isOurs(stored)) return current;
    const bundle = trustBundle(authority.certificate, current, clock.now());
    const data = { [DataKey.CaBundle]: bundle };
    if (!stored) {
      await bundles.create({ metadata: { namespace, name: ConfigMapName.CaBundle, labels: mark }, data });
    } else if (bundle !== current) await bundles.replace({ ...stored, data });
    return bundle;
  }

  return defineController({
    name: 'grpc-certificates',
    // The key itself: nothing else may be there yet to wake it.
    watches: [on(of(signerKey)), on(signers), on(bundles, toSigner), on(servings, toSigner)],
    concurrency: 1,
    async reconcile() {
      const { authority, nextAt } = await keepAuthority();
      // Before anything is signed by it: who trusts the bundle then trusts all that comes.
      const bundle = await keepBundle(authority);
      const servingAt = await keepServing(
        servings,
        { namespace, hosts, lifeMs: servingLifeMs, clock },
        authority,
        bundle,
      );
      return after(Math.max(1000, Math.min(nextAt, servingAt, clock.now() + dayMs) - clock.now()), 'certificates age');
    },
  });
}

interface ServingOptions {
  readonly namespace: string;
  readonly hosts: readonly string[];
  readonly lifeMs: number;
  readonly clock: Clock;
}

/** Makes or renews the certificate of the server if that is ours to do; when to check again. */
async function keepServing(
  servings: CachedResource<Secret>,
  { namespace, hosts, lifeMs, clock }: ServingOptions,
  authority: KeyPair,
  bundle: string,
): Promise<number> {
  const key = `${namespace}/${SecretName.GrpcServerServingCert}`;
  const stored = servings.get(key);
  if (stored && !isOurs(stored)) return Number.POSITIVE_INFINITY;
  const renewAt = renewalTime({ ...pairOf(stored), ca: bundle }, hosts, clock.now());
  if (renewAt !== undefined && renewAt > clock.now()) return renewAt;
  const request = { usage: 'server', name: 'flotilla-grpc-server', hosts, ttlMs: lifeMs } as const;
  const leaf = await issueCertificate(authority, request, clock);
  const madeRenewAt = renewalTime({ ...leaf, ca: bundle }, hosts, clock.now());
  if (madeRenewAt === undefined) throw unusable(key);
  // With its authority, so that a joining cluster can compare that with the hash in its join command.
  const chain = { ...leaf, certificate: `${leaf.certificate}${authority.certificate}` };
  await store(servings, stored, { namespace, name: SecretName.GrpcServerServingCert }, chain, bundle);
  return madeRenewAt;
}

const isOurs = ({ metadata }: { metadata?: { labels?: Readonly<Record<string, string>> } }): boolean =>
  metadata?.labels?.[markKey] === markValue;

const unusable = (key: string): KubeError =>
  new KubeError('Config', `Secret ${key} has no certificate that can be used for gRPC`, {
    hint: 'Replace it, or delete it and have the hub make one.',
  });

const decoded = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString('utf8');
const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Of a chain the first certificate counts. */
const pairOf = (secret: Secret | undefined): KeyPair => ({
  certificate: decoded(secret?.data?.[DataKey.TlsCertificate]),
  key: decoded(secret?.data?.[DataKey.TlsKey]),
});

async function store(
  cache: CachedResource<Secret>,
  current: Secret | undefined,
  metadata: { readonly namespace: string; readonly name: string },
  { certificate, key }: KeyPair,
  ca?: string,
): Promise<void> {
  const data = {
    [DataKey.TlsCertificate]: encoded(certificate),
    [DataKey.TlsKey]: encoded(key),
    ...(ca !== undefined && { [DataKey.RootCa]: encoded(ca) }),
  };
  if (current) await cache.replace({ ...current, data });
  else await cache.create({ metadata: { ...metadata, labels: mark }, type: 'kubernetes.io/tls', data });
}
