import { KubeError } from '../errors/kube-error.ts';
import type { ClusterAccess } from './access.ts';
import { Fields } from './fields.ts';
import { checkKeyPair } from './key-pair.ts';

/** What an exec plugin gave. */
export type ExecCredential = Pick<ClusterAccess, 'authorization' | 'clientCertificate' | 'expiresAt'>;

/** Asked for anew this long before the end, so that a request under way does not outlive its token. */
const earlyMs = 10_000;

/** Reads the ExecCredential that a plugin wrote. `where`: the plugin, for messages. */
export function decodeExecCredential(output: string, where: string, apiVersion: string): ExecCredential {
  let decoded: unknown;
  try {
    decoded = JSON.parse(output);
  } catch {
    // The output is not shown: it may hold a token.
    throw new KubeError('Config', `${where} wrote something that is not JSON`, {
      hint: 'It must write an ExecCredential to standard output, and messages to standard error.',
    });
  }
  const credential = new Fields(`the answer of ${where}`, decoded);
  if (credential.text('kind') !== 'ExecCredential') throw credential.wrong('kind', 'must be ExecCredential');
  if (credential.text('apiVersion') !== apiVersion) {
    throw credential.wrong(
      'apiVersion',
      `must be ${apiVersion}`,
      'Set the apiVersion of the kubeconfig to what the plugin speaks.',
    );
  }
  const status = credential.object('status');
  const token = status.text('token');
  const certificate = status.text('clientCertificateData');
  const key = status.text('clientKeyData');
  if ((certificate === undefined) !== (key === undefined)) {
    throw status.wrong('clientCertificateData and clientKeyData', 'must come together');
  }
  if (token === undefined && certificate === undefined)
    throw status.wrong('token', 'is missing, and there is no certificate');
  const clientCertificate = certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
  if (clientCertificate) checkKeyPair(clientCertificate, `the answer of ${where}`);
  const expires = status.text('expirationTimestamp');
  const expiresAt = expires === undefined ? undefined : Date.parse(expires);
  if (Number.isNaN(expiresAt)) throw status.wrong('expirationTimestamp', 'is not a time');
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(clientCertificate && { clientCertificate }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt - earlyMs }),
  };
}
