import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type Clock, KubeError } from '@flotilla/kube';
import {
  createAuthority,
  isPair,
  issueCertificate,
  type KeyPair,
  type LeafRequest,
  renewAuthority,
} from '@flotilla/kube/pki';
import { kubeletClientUser } from '../../contracts/kubelet.ts';
import { systemMasters } from '../../contracts/user-info.ts';
import type { KeyStore } from './key-store.ts';

/** The names of the server on its own machine, and those that pods use in a cluster. */
const standardHosts = [
  'localhost',
  '127.0.0.1',
  '::1',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** The name by which aggregated API servers know this one. */
const frontProxyUser = 'front-proxy-client';

export interface PkiOptions {
  readonly store: KeyStore;
  readonly clock: Clock;
  /** Other names and addresses the server is reached by. */
  readonly hosts?: readonly string[];
}

/** The certificates and keys of one control plane. */
export interface ControlPlanePki {
  /** Signs the certificates below and certificate signing requests. */
  readonly authority: KeyPair;
  /** The serving certificate. */
  readonly serving: KeyPair;
  /** The client certificate of the administrator. */
  readonly admin: KeyPair;
  /** As whom the server shows itself to kubelets. */
  readonly kubeletClient: KeyPair;
  /** Signs `frontProxy` and nothing else. */
  readonly frontProxyAuthority: KeyPair;
  /** As whom the server shows itself to aggregated API servers. */
  readonly frontProxy: KeyPair;
  /** Signs service account tokens; PEM. */
  readonly serviceAccountKey: string;
  /** Renews certificates that expire soon; true if one was renewed. */
  renew(): Promise<boolean>;
}

/** Whose certificates the authority signs for the server itself. */
const leavesOf = (hosts: readonly string[]) =>
  ({
    serving: { usage: 'server', hosts },
    admin: { usage: 'client', name: 'kubernetes-admin', groups: [systemMasters] },
    kubeletClient: { usage: 'client', name: kubeletClientUser },
  }) as const satisfies Record<string, LeafRequest>;

/** Loads the stored keys and certificates, creates missing ones, and renews those that expire soon or no longer fit. */
export async function createPki({ store, clock, hosts = [] }: PkiOptions): Promise<ControlPlanePki> {
  const leaves = leavesOf([...new Set([...standardHosts, ...hosts])]);
  const ensure = async (name: string, fits: (pair: KeyPair) => boolean, make: Make) => {
    const present = await readPair(store, name);
    if (present && fits(present) && isFresh(present, clock)) return { pair: present, isNew: false };
    const pair = await make(present);
    // The certificate comes last: a pair is complete if it is there and fits its key.
    await store.write(`${name}.key`, pair.key);
    await store.write(`${name}.crt`, pair.certificate);
    return { pair, isNew: true };
  };
  const ensureAll = async () => {
    const authority = await ensure('ca', isUsable('ca'), authorityMaker('flotilla-control-plane-ca', clock));
    const leaf = (name: string, request: LeafRequest) =>
      ensure(
        name,
        (pair) => isPair(pair) && isIssuedBy(pair, authority.pair) && coversHosts(pair, request),
        () => issueCertificate(authority.pair, request, clock),
      );
    const serving = await leaf('serving', leaves.serving);
    const admin = await leaf('admin', leaves.admin);
    const kubeletClient = await leaf('kubelet-client', leaves.kubeletClient);
    return { authority, serving, admin, kubeletClient, ...(await ensureFrontProxy(ensure, clock)) };
  };

  let current = await ensureAll();
  const serviceAccountKey = (await store.read('sa.key')) ?? newServiceAccountKey();
  await store.write('sa.key', serviceAccountKey);

  return {
    get authority() {
      return current.authority.pair;
    },
    get serving() {
      return current.serving.pair;
    },
    get admin() {
      return current.admin.pair;
    },
    get kubeletClient() {
      return current.kubeletClient.pair;
    },
    get frontProxyAuthority() {
      return current.frontProxyAuthority.pair;
    },
    get frontProxy() {
      return current.frontProxy.pair;
    },
    serviceAccountKey,
    async renew() {
      current = await ensureAll();
      return Object.values(current).some(({ isNew }) => isNew);
    },
  };
}

type Ensure = (
  name: string,
  fits: (pair: KeyPair) => boolean,
  make: Make,
) => Promise<{ pair: KeyPair; isNew: boolean }>;

/** Makes a pair in the place of one that is there, if one is. */
type Make = (present: KeyPair | undefined) => Promise<KeyPair>;

/** Who vouches for users towards aggregated API servers has an authority of its own. */
async function ensureFrontProxy(ensure: Ensure, clock: Clock) {
  const frontProxyAuthority = await ensure(
    'front-proxy-ca',
    isUsable('front-proxy-ca'),
    authorityMaker('flotilla-control-plane-front-proxy-ca', clock),
  );
  const frontProxy = await ensure(
    'front-proxy-client',
    (pair) => isPair(pair) && isIssuedBy(pair, frontProxyAuthority.pair),
    () => issueCertificate(frontProxyAuthority.pair, { usage: 'client', name: frontProxyUser }, clock),
  );
  return { frontProxyAuthority, frontProxy };
}

/** An authority is renewed with its key: its clients know it by that, and go on with the certificate that they have. */
const authorityMaker =
  (name: string, clock: Clock): Make =>
  (present) =>
    present ? renewAuthority(present, clock) : createAuthority(name, clock);

/** Another authority in the place of a broken one would lock out all clients, so it is not made without being asked for. */
const isUsable = (name: string) => (pair: KeyPair) => {
  if (isPair(pair)) return true;
  throw new KubeError('Config', `the certificate ${name}.crt is not that of the key ${name}.key`, {
    hint: `Restore both files of the directory pki from a backup. Without one delete both: clients then need a new kubeconfig.`,
  });
};

async function readPair(store: KeyStore, name: string): Promise<KeyPair | undefined> {
  const [certificate, key] = await Promise.all([store.read(`${name}.crt`), store.read(`${name}.key`)]);
  return certificate && key ? { certificate, key } : undefined;
}

/** Renew with a third of the lifetime left, long before it expires. */
function isFresh({ certificate }: KeyPair, clock: Clock): boolean {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const life = validToDate.getTime() - validFromDate.getTime();
  return validToDate.getTime() - clock.now() > life / 3 && clock.now() >= validFromDate.getTime();
}

function isIssuedBy({ certificate }: KeyPair, authority: KeyPair): boolean {
  const issuer = new X509Certificate(authority.certificate);
  return new X509Certificate(certificate).verify(issuer.publicKey);
}

function coversHosts({ certificate }: KeyPair, request: LeafRequest): boolean {
  if (request.usage === 'client') return true;
  const leaf = new X509Certificate(certificate);
  return request.hosts.every((host) => (isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)) !== undefined);
}

const newServiceAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
