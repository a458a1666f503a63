export { createAuthority, issueCertificate, type KeyPair, type LeafRequest } from './authority.ts';
export { exportKey, generateKeys, importSigningKey } from './keys.ts';
export { keyAlgorithm, loadX509, newSerialNumber, toPem } from './x509.ts';
