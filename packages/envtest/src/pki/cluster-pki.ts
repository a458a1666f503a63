import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@flotilla/kube';
import { createAuthority, issueCertificate, type KeyPair, type LeafRequest } from '@flotilla/kube/pki';
import { writePrivateFile } from './private-file.ts';

/** The hosts an API server of this package is reached by; the last ones are what in-cluster clients use. */
const servingHosts = [
  '127.0.0.1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '10.0.0.1',
] as const;

/** Where the certificates and keys of a cluster are on disk. */
export interface PkiFiles {
  clientCa: string;
  clientCaKey: string;
  /** What clients trust: after a CA rotation the old and the new CA. */
  rootCa: string;
  serving: { certificate: string; key: string };
  serviceAccountKey: string;
  serviceAccountPublicKey: string;
  /** What the API server is to kubelets: a client that may read logs and run commands. */
  kubeletClient: { certificate: string; key: string };
  /** Signs the identity under which the API server forwards requests to aggregated API servers; signs nothing else. */
  frontProxyCa: string;
  frontProxyClient: { certificate: string; key: string };
}

/** The common name of the certificate that aggregated API servers accept forwarded users from. */
export const frontProxyUser = 'front-proxy-client';

/** The certificates of one cluster: one authority signs users and CSRs, and serves until `rotateServing` brings another. */
export interface ClusterPki {
  readonly files: PkiFiles;
  readonly clientCa: KeyPair;
  /** Signs what the API server and webhooks serve with. */
  readonly servingCa: KeyPair;
  /** PEM bundle for clients. */
  readonly trustBundle: string;
  /** A certificate for a server, signed by `servingCa`, or for a client, signed by `clientCa`. */
  issue(request: LeafRequest): Promise<KeyPair>;
  /** Replaces the serving certificate on disk; the API server reads it again by itself. */
  rotateServing(options: { ca: 'same' | 'new'; ttlMs?: number }): Promise<KeyPair>;
}

/** Where they are in a directory. */
export function pkiFiles(directory: string): PkiFiles {
  const file = (name: string) => join(directory, name);
  return {
    clientCa: file('ca.crt'),
    clientCaKey: file('ca.key'),
    rootCa: file('root-ca.crt'),
    serving: { certificate: file('apiserver.crt'), key: file('apiserver.key') },
    serviceAccountKey: file('sa.key'),
    serviceAccountPublicKey: file('sa.pub'),
    kubeletClient: { certificate: file('apiserver-kubelet-client.crt'), key: file('apiserver-kubelet-client.key') },
    frontProxyCa: file('front-proxy-ca.crt'),
    frontProxyClient: { certificate: file('front-proxy-client.crt'), key: file('front-proxy-client.key') },
  };
}

/** Makes the certificates of a cluster in `directory`, keeping the authority and service-account key found there. */
export async function createClusterPki(directory: string, clock: Clock): Promise<ClusterPki> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = pkiFiles(directory);
  const clientCa = await readOrCreateAuthority(files, clock);
  await ensureServiceAccountKey(files);
  await writeOutgoingIdentities(files, clientCa, clock);

  let servingCa = clientCa;
  let trustBundle = clientCa.certificate;
  const issue = (request: LeafRequest) =>
    issueCertificate(request.usage === 'server' ? servingCa : clientCa, request, clock);
  const writeServing = async (ttlMs?: number): Promise<KeyPair> => {
    const pair = await issue({ usage: 'server', hosts: servingHosts, ...(ttlMs !== undefined && { ttlMs }) });
    await writePrivateFile(files.rootCa, trustBundle);
    await writePair(files.serving, pair);
    return pair;
  };
  await writeServing();

  return {
    files,
    clientCa,
    get servingCa() {
      return servingCa;
    },
    get trustBundle() {
      return trustBundle;
    },
    issue,
    async rotateServing({ ca, ttlMs }) {
      if (ca === 'new') {
        servingCa = await createAuthority('flotilla-envtest-serving-ca', clock);
        trustBundle += servingCa.certificate;
      }
      return writeServing(ttlMs);
    },
  };
}

async function readOrCreateAuthority(files: PkiFiles, clock: Clock): Promise<KeyPair> {
  const [certificate, key] = await Promise.all([readIfPresent(files.clientCa), readIfPresent(files.clientCaKey)]);
  if (certificate && key) return { certificate, key };
  const authority = await createAuthority('flotilla-envtest-ca', clock);
  await writePrivateFile(files.clientCa, authority.certificate);
  await writePrivateFile(files.clientCaKey, authority.key);
  return authority;
}

/** How the API server identifies itself to kubelets and to aggregated API servers; new at each start, as nothing else keeps them. */
async function writeOutgoingIdentities(files: PkiFiles, clientCa: KeyPair, clock: Clock): Promise<void> {
  const kubeletUser = { name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] };
  const frontProxyCa = await createAuthority('flotilla-envtest-front-proxy-ca', clock);
  await writePrivateFile(files.frontProxyCa, frontProxyCa.certificate);
  await writePair(files.kubeletClient, await issueCertificate(clientCa, { usage: 'client', ...kubeletUser }, clock));
  const proxyClient = await issueCertificate(frontProxyCa, { usage: 'client', name: frontProxyUser }, clock);
  await writePair(files.frontProxyClient, proxyClient);
}

async function writePair(files: { certificate: string; key: string }, pair: KeyPair): Promise<void> {
  await writePrivateFile(files.key, pair.key);
  await writePrivateFile(files.certificate, pair.certificate);
}

async function ensureServiceAccountKey(files: PkiFiles): Promise<void> {
  const present = await readIfPresent(files.serviceAccountKey);
  const privateKey = present
    ? createPrivateKey(present)
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  if (!present) {
    await writePrivateFile(files.serviceAccountKey, privateKey.export({ type: 'sec1', format: 'pem' }).toString());
  }
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  await writePrivateFile(files.serviceAccountPublicKey, publicKey);
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
