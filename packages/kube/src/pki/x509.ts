import { randomBytes } from 'node:crypto';

/**
 * The X.509 library needs a global Reflect polyfill. Both are loaded with the first certificate,
 * so that importing this package changes nothing in the importing process.
 */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** Fast to make, and accepted by every component of Kubernetes. */
export const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Positive and never zero, as RFC 5280 asks. */
export const newSerialNumber = (): string => `01${randomBytes(15).toString('hex')}`;

/** PEM with one newline at its end. */
export const toPem = (certificate: { toString(format: 'pem'): string }): string =>
  `${certificate.toString('pem').trim()}\n`;
