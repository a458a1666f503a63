import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { EpochMs } from '@flotilla/kube/clock';
import { certificateBlocks } from '@flotilla/schema';
import type { CertificateSubject } from './subject.ts';

/** What matters of a stored chain: whom it names, and when all of it is good. */
export interface CertificateChain {
  readonly certificates: readonly X509Certificate[];
  /** The latest start and the earliest end. */
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
}

/** Reads a PEM chain; undefined if there is no certificate in it or one cannot be read. */
export function readChain(pem: string | undefined): CertificateChain | undefined {
  const blocks = certificateBlocks(pem ?? '');
  if (blocks.length === 0) return undefined;
  try {
    const certificates = blocks.map((block) => new X509Certificate(block));
    return {
      certificates,
      notBefore: Math.max(...certificates.map(({ validFrom }) => Date.parse(validFrom))),
      notAfter: Math.min(...certificates.map(({ validTo }) => Date.parse(validTo))),
    };
  } catch {
    return undefined;
  }
}

/** Whether some certificate of the chain names exactly this user with exactly these groups and units, in any order. */
export const namesSubject = ({ certificates }: CertificateChain, wanted: CertificateSubject): boolean =>
  certificates.some((certificate) => {
    const subject: Readonly<Record<string, unknown>> = { ...certificate.toLegacyObject().subject };
    return (
      sameSet(valuesOf(subject.CN), [wanted.user]) &&
      sameSet(valuesOf(subject.O), wanted.groups) &&
      sameSet(valuesOf(subject.OU), wanted.organizationUnits)
    );
  });

/** Whether the PEM key is that of the first certificate of the chain. */
export function matchesKey({ certificates: [leaf] }: CertificateChain, key: string | undefined): boolean {
  if (!leaf || !key) return false;
  try {
    return leaf.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

const valuesOf = (field: unknown): readonly unknown[] => {
  if (field === undefined) return [];
  return Array.isArray(field) ? field : [field];
};

function sameSet(a: readonly unknown[], b: readonly unknown[]): boolean {
  const left = new Set(a);
  const right = new Set(b);
  return left.size === right.size && [...left].every((value) => right.has(value));
}
