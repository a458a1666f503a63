/** Client certificates on CertificateSigningRequests, for drivers that use them: requests, renewal and approval, by any signer. */
export { type AddonCertificateOptions, addonCertificates, certificateUser } from './addon-certificates.ts';
export { type ApprovalControllerOptions, approvalController } from './approval.controller.ts';
export {
  type AgentRequest,
  approvalPath,
  isFromAnotherCluster,
  isReporting,
  type RequestedSubject,
  recognizeAgentRequest,
} from './approval.policy.ts';
export { matchesKey, readChain } from './certificate-chain.ts';
export { type CertificateContext, type CertificateIssuerOptions, certificateIssuer } from './certificate-issuer.ts';
export { createCertificateRequest, createKey, fingerprintOf } from './certificate-request.ts';
export { claimTokenUse, findTokenRefusal } from './join-token-uses.ts';
export { certificateOptions, expirationSecondsOf } from './options.ts';
export { addonTemplate, clusterTemplate, type RequestTemplate } from './request.template.ts';
export { clusterOfAgent, maxUndecidedOfAgent, requestCache, undecidedOf, withoutBody } from './request-cache.ts';
export { readRequestedSubject } from './requested-subject.ts';
export { asRequested, requesterOf } from './requester.ts';
export { type CertificateRules, certificateRules } from './rules.ts';
export { storedCertificate } from './stored-certificate.ts';
export { addonSubject, type CertificateSubject, clusterSubject } from './subject.ts';
