import type { EpochMs } from '@flotilla/kube/clock';
import type { CertificateChain } from './certificate-chain.ts';

const leastShareLeft = 0.2;
const spread = 0.05;
/** Of what was left when a certificate was first observed. */
const leastShareUsed = 0.1;

/** What is remembered of the moment when a certificate was first observed. */
export interface FirstObservation {
  /** In [0, 1); drawn once, so that a fleet that joined together does not renew together and one agent does not change its mind. */
  readonly random: number;
  readonly observedAt: EpochMs;
}

/**
 * When to ask for the next certificate: with 20 to 25 % of the life left. Signers of Kubernetes let a life begin five minutes
 * before they sign, so that certificates of a minute are due when they come: a tenth of what is left is used in any case, or
 * an agent would ask again and again without pause.
 */
export function renewalTime(
  { notBefore, notAfter }: Omit<CertificateChain, 'certificates'>,
  { random, observedAt }: FirstObservation,
): number {
  const life = Math.max(0, notAfter - notBefore);
  const due = notAfter - life * (leastShareLeft + spread * random);
  return Math.max(due, Math.min(notAfter, observedAt + (notAfter - observedAt) * leastShareUsed));
}
