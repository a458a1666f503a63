import { type Controller, defineController, done, on } from '@flotilla/kube';
import { validatingAdmissionPolicies } from '@flotilla/kube/kinds';
import { typeWarnings } from '../admission/policies/type-checking.ts';
import type { ControllerContext } from './context.ts';

const fieldManager = 'validatingadmissionpolicy-status';

/** Reports in the status of policies which fields of their expressions the kinds do not have that they are about. */
export function admissionPolicyStatus({ informers, registry }: ControllerContext): Controller {
  const policies = informers.resource(validatingAdmissionPolicies);
  return defineController({
    name: fieldManager,
    watches: [on(policies)],
    async reconcile(name) {
      const policy = policies.get(name);
      const generation = policy?.metadata?.generation ?? 0;
      if (!policy || generation <= (policy.status?.observedGeneration ?? 0)) return done;
      const expressionWarnings = typeWarnings(policy, registry);
      const typeChecking = expressionWarnings.length > 0 ? { expressionWarnings } : {};
      const status = { observedGeneration: generation, typeChecking };
      await policies.status.apply({ metadata: { name }, status }, { fieldManager, force: true });
      return done;
    },
  });
}
