import type { Clock } from '@flotilla/kube';
import type { AdmissionPlugin } from '../contracts/admission.ts';
import type { Authorizer } from '../contracts/authorizer.ts';
import type { VerbHandler } from '../contracts/handlers.ts';
import type { Storage } from '../contracts/storage.ts';
import { accessReviews } from './access-reviews.ts';
import { BindingIndex } from './binding-index.ts';
import { applyBootstrapPolicy } from './bootstrap-policy.ts';
import { escalationCheck } from './escalation.ts';
import { createRbacAuthorizer } from './rbac-authorizer.ts';
import { createRuleResolver, type RuleResolver } from './rule-resolver.ts';
import { rulesReview } from './rules-review.ts';

export interface RbacOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly newUid: () => string;
}

/** The RBAC parts of a server. */
export interface Rbac {
  readonly authorizer: Authorizer;
  readonly resolver: RuleResolver;
  /** Refuses roles and bindings that give more than their writer has. */
  readonly admission: AdmissionPlugin;
  /** The access and rules reviews; before the generic verbs. */
  readonly verbs: readonly VerbHandler[];
  /** Stops following the storage. */
  close(): void;
}

/** RBAC over a storage, with the roles and bindings every cluster starts with. */
export function createRbac(options: RbacOptions): Rbac {
  applyBootstrapPolicy(options);
  const index = new BindingIndex(options.storage);
  const resolver = createRuleResolver(options.storage, index);
  const authorizer = createRbacAuthorizer(resolver);
  return {
    authorizer,
    resolver,
    admission: escalationCheck(authorizer, resolver),
    verbs: [accessReviews(authorizer), rulesReview(resolver)],
    close: () => index.close(),
  };
}
