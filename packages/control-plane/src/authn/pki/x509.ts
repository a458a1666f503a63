/**
 * The X.509 library needs a global Reflect polyfill. Both are loaded on the first certificate,
 * so that importing this package changes nothing in the importing process.
 */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** Fast to make, and accepted by every component. */
export const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
