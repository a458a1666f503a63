import { ControllerName } from '../controllers.ts';
import { type ConditionTable, conditionReasonsOf, conditionTypesOf } from './condition-table.ts';

export const certificateSigningRequestConditionTable = {
  Approved: {
    type: 'Approved',
    on: ['CertificateSigningRequest'],
    owners: [ControllerName.CsrApproving],
    meaning: 'The request may be signed. Users and tools approve too, with their own reasons.',
    reasons: {
      True: { AutoApprovedByHubCSRApprovingController: 'A renewal, a configured identity or a known add-on.' },
    },
  },
  Denied: {
    type: 'Denied',
    on: ['CertificateSigningRequest'],
    owners: [],
    meaning: 'The request is refused for good; OCM never denies.',
    reasons: {},
  },
} as const satisfies ConditionTable;

/** Condition types of CertificateSigningRequest. */
export const CertificateSigningRequestCondition = /* @__PURE__ */ conditionTypesOf(
  certificateSigningRequestConditionTable,
);

/** Reasons of CertificateSigningRequest by condition. */
export const CertificateSigningRequestReason = /* @__PURE__ */ conditionReasonsOf(
  certificateSigningRequestConditionTable,
);
