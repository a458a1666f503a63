import type { Authorizer } from '../contracts/authorizer.ts';
import { systemMasters } from '../contracts/user-info.ts';
import { joinMessages } from '../errors/go-text.ts';
import { ruleAllows } from './policy-rule.ts';
import { describeBinding, type RuleResolver } from './rule-resolver.ts';

/** Decides by roles and bindings. Nothing forbids: what no rule allows is not allowed. */
export function createRbacAuthorizer(resolver: RuleResolver): Authorizer {
  return {
    authorize(user, attributes) {
      if (user.groups.includes(systemMasters)) return { allowed: true, reason: '' };
      const namespace = attributes.kind === 'resource' ? attributes.namespace : undefined;
      const errors: string[] = [];
      for (const grant of resolver.grants(user, namespace)) {
        if ('error' in grant) errors.push(grant.error);
        else if (grant.rules.some((rule) => ruleAllows(rule, attributes))) {
          return {
            allowed: true,
            // Only reviews read it, so only they pay for it.
            get reason() {
              return `RBAC: allowed by ${describeBinding(grant.binding, user)}`;
            },
          };
        }
      }
      return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${joinMessages(errors)}` };
    },
  };
}
