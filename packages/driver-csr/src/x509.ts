/**
 * The X.509 library needs a global Reflect polyfill. Both are loaded on the first request,
 * so that importing this package changes nothing in the importing process.
 */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}
