import type { EpochMs } from '@flotilla/kube/clock';

/** What to do about credentials that had ended by the clock of this cluster when it got them. */
export const wrongClockMessage = (why: string, now: EpochMs): string =>
  `the credentials that the hub issued have ended: ${why}, and the clock of this cluster says ${new Date(now).toISOString()}. If they ` +
  'were issued a moment ago, set the clocks of the cluster and of the hub right (NTP)';

/** What to do about a certificate that has little of its life left by the clock of this cluster when it comes. */
export const aheadClockMessage = (
  { notBefore, notAfter }: { readonly notBefore: EpochMs; readonly notAfter: EpochMs },
  now: EpochMs,
): string =>
  `the hub issued a certificate from ${new Date(notBefore).toISOString()} to ${new Date(notAfter).toISOString()}, and the clock of this ` +
  `cluster says ${new Date(now).toISOString()}: set the clocks of the cluster and of the hub right (NTP), or certificates are renewed ` +
  'too often and end too early';
