const bearer = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi;
const jsonWebToken = /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;
const pemBlock = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const longest = 2000;

/** Text from a server or a plugin, fit for an error message: tokens and private keys redacted, and of limited length. */
export function redact(text: string): string {
  const clean = text
    .replace(pemBlock, '<private key>')
    .replace(jsonWebToken, '<token>')
    .replace(bearer, '$1 <redacted>');
  return clean.length > longest ? `${clean.slice(0, longest)}… (${clean.length - longest} more characters)` : clean;
}
