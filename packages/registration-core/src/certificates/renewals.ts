import { DataKey } from '@flotilla/api-types';
import type { Clock } from '@flotilla/kube';
import type { StoredCredentials } from '../contract/index.ts';
import { readChain } from './certificate-chain.ts';
import { type FirstObservation, renewalTime } from './renewal.policy.ts';

/** When stored certificates are due. */
export interface Renewals {
  /** Milliseconds until the stored certificate is due for renewal; 0 or less if it is due. */
  dueInMs(stored: StoredCredentials): number;
}

/** Remembers when the certificate in use was first observed. */
export function createRenewals(clock: Clock, random: () => number): Renewals {
  let first: (FirstObservation & { readonly certificate: string }) | undefined;
  return {
    dueInMs(stored) {
      const certificate = stored[DataKey.TlsCertificate] ?? '';
      const chain = readChain(certificate);
      if (!chain) return 0;
      if (first?.certificate !== certificate) first = { certificate, random: random(), observedAt: clock.now() };
      return renewalTime(chain, first) - clock.now();
    },
  };
}
