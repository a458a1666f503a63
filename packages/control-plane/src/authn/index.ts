export { createAuthn } from './create-authn.ts';
export { type ControlPlanePki, createPki } from './pki/control-plane-pki.ts';
export { directoryKeyStore, memoryKeyStore } from './pki/key-store.ts';
export { renewRegularly } from './pki/renewal.ts';
export { type SignOptions, type SignOutcome, signCertificateRequest } from './pki/sign-request.ts';
