import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Clock } from '@flotilla/kube';
import type { ClusterPki } from '../pki/cluster-pki.ts';
import { waitUntil } from '../wait.ts';

/** Which certificate the API server shall serve with from now on. */
export interface ServingRotationOptions {
  /** `new`: signed by a fresh CA; `same`: by the present one. Default `same`. */
  ca?: 'same' | 'new';
  /** How long it is valid. Default a year. */
  ttlMs?: number;
}

/** What clients trusted, and what they should trust. */
export interface ServingRotation {
  /** The CA that signed the certificate served now, alone. */
  ca: string;
  /** The CA or CAs that were trusted before. */
  previousBundle: string;
  /** All CAs that were ever used, the new one last. */
  bundle: string;
}

/** Replaces the serving certificate and waits until new connections get it. */
export async function rotateServingCertificate(
  cluster: { server: string; pki: ClusterPki },
  { ca = 'same', ttlMs }: ServingRotationOptions,
  wait: { clock: Clock; timeoutMs: number },
): Promise<ServingRotation> {
  const previousBundle = cluster.pki.trustBundle;
  const pair = await cluster.pki.rotateServing({ ca, ...(ttlMs !== undefined && { ttlMs }) });
  const expected = new X509Certificate(pair.certificate).fingerprint256;
  const served = async (signal: AbortSignal) =>
    (await servedFingerprint(cluster.server, cluster.pki.trustBundle, signal)) === expected;
  await waitUntil('the API server serves with the new certificate', served, wait);
  return { ca: cluster.pki.servingCa.certificate, previousBundle, bundle: cluster.pki.trustBundle };
}

async function servedFingerprint(server: string, ca: string, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(server);
  const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['h2'] });
  try {
    await once(socket, 'secureConnect', { signal });
    return socket.getPeerCertificate().fingerprint256;
  } finally {
    socket.destroy();
  }
}
