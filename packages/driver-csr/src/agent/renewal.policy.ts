import type { CertificateChain } from './certificate-chain.ts';

const leastShareLeft = 0.2;
const spread = 0.05;

/**
 * When to ask for the next certificate: with 20 to 25 % of the life left. `random` is drawn once per certificate, so that a fleet
 * that joined together does not renew together and one agent does not change its mind.
 */
export function renewalTime({ notBefore, notAfter }: Omit<CertificateChain, 'certificates'>, random: number): number {
  const life = Math.max(0, notAfter - notBefore);
  return notAfter - life * (leastShareLeft + spread * random);
}
