import type { Clock, Logger } from '@flotilla/kube';
import type { AdmissionChain, AdmissionPlugin } from '../contracts/admission.ts';
import type { ObjectSchemas } from '../contracts/object-schemas.ts';
import type { Registry } from '../contracts/resource-info.ts';
import type { Storage } from '../contracts/storage.ts';
import type { WebhookCaller } from '../contracts/webhook-caller.ts';
import { type CertificateAdmissionOptions, certificateAdmission } from './certificates.ts';
import { admissionChain } from './chain.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { defaultTolerations, priority } from './pod-defaults.ts';
import { policyParamAccess } from './policies/param-access.ts';
import { validatingPolicies } from './policies/validating-policies.ts';
import { type ResourceQuotaOptions, resourceQuota } from './resource-quota.ts';
import { serviceAccount } from './service-account.ts';
import { createMatchConditions } from './webhooks/match-conditions.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

export interface AdmissionOptions extends CertificateAdmissionOptions, Pick<ResourceQuotaOptions, 'updateQuotaStatus'> {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly schemas: ObjectSchemas;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUid: () => string;
  readonly newSuffix: () => string;
  /** Whether pods need a service account. Off where no controller makes the default ones. Default true. */
  readonly serviceAccounts?: boolean;
  readonly caller: WebhookCaller;
  /** More checks of the server itself, asked before the webhooks. */
  readonly plugins?: readonly AdmissionPlugin[];
}

/** The plugins in the order of the API server: its own first, then policies, webhooks, and quotas last. */
export function createAdmission(options: AdmissionOptions): AdmissionChain {
  const { storage, serviceAccounts = true } = options;
  const webhooks = { ...options, conditions: createMatchConditions() };
  return admissionChain([
    namespaceLifecycle(storage),
    ...(serviceAccounts ? [serviceAccount(options)] : []),
    priority(storage),
    defaultTolerations(),
    ...certificateAdmission(options),
    ...(options.plugins ?? []),
    policyParamAccess(options),
    mutatingWebhooks(webhooks),
    validatingPolicies(options),
    validatingWebhooks(webhooks),
    resourceQuota(options),
  ]);
}
