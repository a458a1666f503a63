import { systemMasters } from '../authn/user-info.ts';
import { joinMessages } from '../errors/go-text.ts';
import type { Authorizer } from './authorizer.ts';
import { ruleAllows } from './policy-rule.ts';
import { describeBinding, type RuleResolver } from './rule-resolver.ts';

/** Decides by roles and bindings. Nothing forbids: what no rule allows is not allowed. */
export function createRbacAuthorizer(resolver: RuleResolver): Authorizer {
  return {
    authorize(user, attributes) {
      if (user.groups.includes(systemMasters)) return { allowed: true, reason: '' };
      const namespace = attributes.kind === 'resource' ? attributes.namespace : undefined;
      const problems: string[] = [];
      for (const grant of resolver.grants(user, namespace)) {
        if ('problem' in grant) problems.push(grant.problem);
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
      return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${joinMessages(problems)}` };
    },
  };
}
