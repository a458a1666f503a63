export { createAuthn } from './create-authn.ts';
export { createPki, renewRegularly } from './pki/control-plane-pki.ts';
export { directoryKeyStore, memoryKeyStore } from './pki/key-store.ts';
export { type SignOptions, type SignOutcome, signCertificateRequest } from './pki/sign-request.ts';
export { systemMasters, type UserInfo } from './user-info.ts';
