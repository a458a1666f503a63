import { X509Certificate } from 'node:crypto';
import { certificateBlocks } from '@flotilla/schema';

/** What is known about who signed the certificate of a server. All PEM. */
export interface ServingAuthorities {
  /** The certificate, and its chain. */
  readonly certificate: string;
  /** `ca.crt` beside it, as cert-manager writes it. Whoever changes the authority adds the next one here first. */
  readonly ca?: string | undefined;
  /** The authorities of clients. Where one of them signed the certificate of the server, these are its authorities, too. */
  readonly clientCa?: string | undefined;
}

/**
 * The authorities that agents are to verify the server with. An authority of clients that did not sign the server is not among them: its
 * holder could pose as the server. Undefined if it is not known, as with a certificate of a public authority.
 */
export function servingAuthorities({ certificate, ca = '', clientCa = '' }: ServingAuthorities): string | undefined {
  const shared = certificateBlocks(clientCa);
  const blocks = [...(isSignedByOneOf(certificate, shared) ? shared : []), ...certificateBlocks(ca)];
  return blocks.length === 0 ? undefined : [...new Set(blocks)].map((block) => `${block}\n`).join('');
}

function isSignedByOneOf(certificate: string, authorities: readonly string[]): boolean {
  const chain = certificateBlocks(certificate).map((block) => new X509Certificate(block));
  return authorities
    .map((block) => new X509Certificate(block))
    .some((authority) => chain.some((link) => link.checkIssued(authority) && link.verify(authority.publicKey)));
}
