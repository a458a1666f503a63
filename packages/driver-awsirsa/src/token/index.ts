/** Tokens for EKS clusters, as `aws eks get-token` prints them. Apart from the root, because it loads the AWS SDK. */
export { execCredential, parseTokenRequest, type TokenRequest, tokenUsage } from './exec-credential.ts';
