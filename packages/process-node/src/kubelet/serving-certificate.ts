import { randomBytes, X509Certificate } from 'node:crypto';
import { type Clock, type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { timeAfter } from '@flotilla/kube/clock';
import { type CertificateSigningRequest, certificateSigningRequests, setApproval } from '@flotilla/kube/kinds';
import { exportKey, generateKeys, type KeyPair, keyAlgorithm, loadX509 } from '@flotilla/kube/pki';

/** Whose certificate it is. */
export interface ServingIdentity {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly name: string;
  readonly address: string;
}

const deadlineMs = 30_000;
const pollMs = 100;
const retryMs = 10_000;
const renewShare = 0.8;

/**
 * Keeps the kubelet's endpoint in certificates until the signal aborts: requested, approved and signed through the API, as those of
 * kubelets are, so that the API server verifies them by its own authority. `use` gets each; the first within the start of the node.
 */
export async function keepServingCertificate(
  identity: ServingIdentity,
  use: (pair: KeyPair) => void,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = identity;
  while (!signal.aborted) {
    try {
      const pair = await requestCertificate(identity, signal);
      use(pair);
      const lifeMs = new X509Certificate(pair.certificate).validToDate.getTime() - clock.now();
      await clock.sleep(lifeMs * renewShare, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.warn('the kubelet endpoint has no new serving certificate: kubectl logs and exec may fail', { error });
      await clock.sleep(retryMs, signal).catch(() => {});
    }
  }
}

async function requestCertificate(identity: ServingIdentity, signal: AbortSignal): Promise<KeyPair> {
  const { client, clock, name } = identity;
  const keys = await generateKeys();
  const handle = client.resource(certificateSigningRequests);
  const created = await handle.create(
    {
      metadata: { name: `csr-${name}-${randomBytes(4).toString('hex')}` },
      spec: {
        request: Buffer.from(await certificateRequest(identity, keys)).toString('base64'),
        signerName: 'kubernetes.io/kubelet-serving',
        usages: ['digital signature', 'server auth'],
      },
    },
    { signal },
  );
  const key = created.metadata?.name ?? '';
  const message = 'The process node serves logs of its pods by this certificate.';
  await setApproval(
    client,
    created,
    { type: 'Approved', reason: 'ProcessNode', message },
    { now: clock.now(), signal },
  );
  try {
    const certificate = await issued(identity, key, signal);
    return { certificate, key: exportKey(keys.privateKey) };
  } finally {
    await handle.delete(key).catch(() => {});
  }
}

async function certificateRequest(
  { name, address }: ServingIdentity,
  keys: Awaited<ReturnType<typeof generateKeys>>,
): Promise<string> {
  const x509 = await loadX509();
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ O: ['system:nodes'] }, { CN: [`system:node:${name}`] }],
    keys,
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: name },
        { type: 'ip', value: address },
      ]),
    ],
  });
  return `${request.toString('pem')}\n`;
}

/** Waits for the signer, for so long and no longer. */
async function issued({ client, clock }: ServingIdentity, key: string, signal: AbortSignal): Promise<string> {
  const end = timeAfter(clock.monotonic(), deadlineMs);
  const handle = client.resource(certificateSigningRequests);
  for (;;) {
    const request: CertificateSigningRequest = await handle.get(key, { signal });
    const { certificate, conditions = [] } = request.status ?? {};
    if (certificate) return Buffer.from(certificate, 'base64').toString('utf8');
    const failed = conditions.find(({ type }) => type === 'Failed' || type === 'Denied');
    if (failed)
      throw new KubeError(
        'Forbidden',
        `the certificate request ${key} was refused: ${failed.message ?? failed.reason}`,
      );
    if (clock.monotonic() > end)
      throw new KubeError('Timeout', `the certificate request ${key} was not signed in ${deadlineMs} ms`);
    await clock.sleep(pollMs, signal);
  }
}
