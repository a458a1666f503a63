import type { Clock, Logger } from '@flotilla/kube';
import type { Registry } from '../schema/resource-info.ts';
import type { Storage } from '../storage/storage.ts';
import type { AdmissionChain, ObjectSchemas } from '../verbs/backend.ts';
import type { AdmissionPlugin } from './admission.ts';
import { type CertificateAdmissionOptions, certificateAdmission } from './certificates.ts';
import { admissionChain } from './chain.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { defaultTolerations, priority } from './pod-defaults.ts';
import { serviceAccount } from './service-account.ts';
import { createWebhookCaller } from './webhooks/caller.ts';
import type { ServiceResolver } from './webhooks/endpoint.ts';
import { createMatchConditions } from './webhooks/match-conditions.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

export interface AdmissionOptions extends CertificateAdmissionOptions {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly schemas: ObjectSchemas;
  readonly clock: Clock;
  readonly log: Logger;
  readonly newUid: () => string;
  readonly newSuffix: () => string;
  /** Whether pods need a service account. Off where no controller makes the default ones. Default true. */
  readonly serviceAccounts?: boolean;
  /** Where webhooks that are services listen. Default: nowhere. */
  readonly resolveService?: ServiceResolver;
  /** More checks of the server itself, asked before the webhooks. */
  readonly plugins?: readonly AdmissionPlugin[];
}

/** Everything that may change or refuse a write before it is stored. */
export interface Admission extends AdmissionChain {
  /** Ends the connections to webhooks. */
  close(): void;
}

/** The plugins in the order of the API server: its own first, webhooks last. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { storage, clock, serviceAccounts = true, resolveService = () => undefined } = options;
  const caller = createWebhookCaller({ clock, resolveService });
  const webhooks = { ...options, caller, conditions: createMatchConditions() };
  const chain = admissionChain([
    namespaceLifecycle(storage),
    ...(serviceAccounts ? [serviceAccount(options)] : []),
    priority(storage),
    defaultTolerations(),
    ...certificateAdmission(options),
    ...(options.plugins ?? []),
    mutatingWebhooks(webhooks),
    validatingWebhooks(webhooks),
  ]);
  return { ...chain, close: () => caller.close() };
}
