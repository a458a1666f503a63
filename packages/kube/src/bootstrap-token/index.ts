/** Bootstrap tokens of Kubernetes, and the signatures by which a cluster proves itself to their holders. */
export { signatureChanges, signedKey } from './cluster-info.ts';
export { isSignedBy, signatureKey, signDetached } from './detached-signature.ts';
export {
  type BootstrapToken,
  bootstrapTokenIdOf,
  formatBootstrapToken,
  newBootstrapToken,
  parseBootstrapToken,
} from './token.ts';
export {
  type BootstrapTokenUsage,
  bootstrapGroupForm,
  bootstrapTokenNamespace,
  bootstrapTokenSecret,
  bootstrapTokenSecretName,
  bootstrapTokenType,
  bootstrapTokenUsages,
  maySign,
  readBootstrapToken,
  type StoredBootstrapToken,
} from './token-secret.ts';
