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
}

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

function pkiFiles(directory: string): PkiFiles {
  const file = (name: string) => join(directory, name);
  return {
    clientCa: file('ca.crt'),
    clientCaKey: file('ca.key'),
    rootCa: file('root-ca.crt'),
    serving: { certificate: file('apiserver.crt'), key: file('apiserver.key') },
    serviceAccountKey: file('sa.key'),
    serviceAccountPublicKey: file('sa.pub'),
  };
}

/** Makes the certificates of a cluster in `directory`, keeping the authority and service-account key found there. */
export async function createClusterPki(directory: string, clock: Clock): Promise<ClusterPki> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = pkiFiles(directory);
  const clientCa = await readOrCreateAuthority(files, clock);
  await ensureServiceAccountKey(files);

  let servingCa = clientCa;
  let trustBundle = clientCa.certificate;
  const issue = (request: LeafRequest) =>
    issueCertificate(request.usage === 'server' ? servingCa : clientCa, request, clock);
  const writeServing = async (ttlMs?: number): Promise<KeyPair> => {
    const pair = await issue({ usage: 'server', hosts: servingHosts, ...(ttlMs !== undefined && { ttlMs }) });
    await writePrivateFile(files.rootCa, trustBundle);
    await writePrivateFile(files.serving.key, pair.key);
    await writePrivateFile(files.serving.certificate, pair.certificate);
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
