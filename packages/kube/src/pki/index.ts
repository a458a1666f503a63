export {
  createAuthority,
  isPair,
  issueCertificate,
  type KeyPair,
  type LeafRequest,
  renewAuthority,
} from './authority.ts';
export { authorityRenewalTime, trustBundle } from './authority-renewal.ts';
export { decodeCertificateRequest } from './certificate-request.ts';
export { type CertificateTerms, certifyRequest } from './certify-request.ts';
export { exportKey, generateKeys, importSigningKey } from './keys.ts';
export { makeServingPair, renewalTime, type ServingPair, validCertificates } from './serving-pair.ts';
export { keyAlgorithm, loadX509, newSerialNumber, toPem } from './x509.ts';
