import { createHash, X509Certificate } from 'node:crypto';
import { certificateBlocks } from '@flotilla/schema';
import { CliError } from '../errors/cli-error.ts';

const pinSyntax = /^sha256:[0-9a-f]{64}$/;

/** The hash of the public key of a certificate, in kubeadm's form: it outlives a renewal with the same key. */
function pinOf(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** The hashes of all certificates of a bundle, for the join command. */
export const pinsOf = (bundle: string): string[] => [...new Set(certificateBlocks(bundle).map(pinOf))];

/** Refuses what cannot be a hash, before anything is sent. */
export function checkPins(pins: readonly string[], flag = '--hub-ca-hash'): void {
  const wrong = pins.find((pin) => !pinSyntax.test(pin));
  if (wrong === undefined) return;
  throw new CliError(
    'usage',
    `${flag} ${wrong} is not a hash of a CA`,
    'It is sha256: and 64 hexadecimal digits, as `flotilla get token` prints it on the hub.',
  );
}

/**
 * The certificates of an unverified bundle that match a hash. The others are dropped and not trusted:
 * an interceptor could add one of its own to the right one.
 */
export function pinnedCertificates(bundle: string, pins: readonly string[]): string | undefined {
  const matching = certificateBlocks(bundle).filter((certificate) => {
    try {
      return pins.includes(pinOf(certificate));
    } catch {
      return false;
    }
  });
  return matching.length === 0 ? undefined : `${matching.join('\n')}\n`;
}
