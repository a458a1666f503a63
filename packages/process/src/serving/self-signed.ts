import type { SecureContextOptions } from 'node:tls';
import type { Clock, Logger } from '@flotilla/kube';
import { makeServingPair } from '@flotilla/kube/pki';
import { secureContextOf, type TlsSettings } from './serving-certificate.ts';

const lifeMs = 365 * 86_400_000;
const renewalMs = (lifeMs * 2) / 3;
const retryMs = 60_000;

/**
 * A certificate that the process makes for itself and keeps in memory. Callers cannot verify it, so it does not stop one who
 * stands between them; but it keeps the tokens of callers from whoever only listens, and probes do not verify anyway.
 */
export async function makeSelfSigned(settings: TlsSettings, clock: Clock): Promise<SecureContextOptions> {
  const { certificate, key } = await makeServingPair(['localhost', '127.0.0.1', '::1'], { now: clock.now(), lifeMs });
  return secureContextOf({ cert: certificate, key }, settings);
}

/** Replaces it after two thirds of its life, again and again. */
export async function followSelfSigned(
  { settings, clock, log, signal }: { settings: TlsSettings; clock: Clock; log: Logger; signal: AbortSignal },
  use: (next: SecureContextOptions) => void,
): Promise<void> {
  let waitMs = renewalMs;
  while (!signal.aborted) {
    try {
      await clock.sleep(waitMs, signal);
    } catch {
      return;
    }
    try {
      use(await makeSelfSigned(settings, clock));
      waitMs = renewalMs;
    } catch (err) {
      log.warn('cannot make a new serving certificate, the old one stays', { err });
      waitMs = retryMs;
    }
  }
}
