import { certificateBlocks } from '@flotilla/schema';

/** The certificates of a bundle (base64 of PEM), each as one text whatever its line ends; what is not PEM counts as one. */
function certificatesOf(caData: string): string[] {
  const text = Buffer.from(caData, 'base64').toString('utf8');
  const found = certificateBlocks(text);
  return (found.length === 0 ? [text] : found).map((pem) => pem.replaceAll('\r\n', '\n').trim());
}

/** Whether whoever trusts the one bundle trusts all of the other. */
export function trustsAll(caData: string, other: string): boolean {
  const known = new Set(certificatesOf(caData));
  return certificatesOf(other).every((one) => known.has(one));
}

/** Whether two bundles trust the same, in whatever order and words. */
export const isSameTrust = (a: string | undefined, b: string | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && trustsAll(a, b) && trustsAll(b, a));

/** All certificates of both, each once, those of the first bundle first; the first as it is if the second adds nothing. */
export function mergeBundles(first: string, second: string): string {
  if (trustsAll(first, second)) return first;
  const all = new Set([...certificatesOf(first), ...certificatesOf(second)]);
  return Buffer.from(`${[...all].join('\n')}\n`).toString('base64');
}
