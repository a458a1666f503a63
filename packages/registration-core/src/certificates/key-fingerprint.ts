import { createHash } from 'node:crypto';

/** The fingerprint of a public key in DER (SubjectPublicKeyInfo), in kubeadm's form: identifies the key of a request. */
export const keyFingerprint = (spki: Uint8Array): string => `sha256:${createHash('sha256').update(spki).digest('hex')}`;
