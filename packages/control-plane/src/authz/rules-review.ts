import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import type { VerbHandler } from '../contracts/handlers.ts';
import type { PolicyRule } from '../contracts/rbac-objects.ts';
import { badRequest } from '../errors/api-errors.ts';
import { joinMessages } from '../errors/go-text.ts';
import type { AnyObject } from '../verbs/prepare.ts';
import { requireCreate, virtualCreate } from '../verbs/virtual.ts';
import type { RuleResolver } from './rule-resolver.ts';

/** SelfSubjectRulesReview: what may I do in this namespace? */
export function rulesReview(resolver: RuleResolver): VerbHandler {
  return (backend, verb, call) => {
    if (call.info.group !== 'authorization.k8s.io' || call.info.plural !== 'selfsubjectrulesreviews') return undefined;
    requireCreate(verb, call);
    return review(resolver, backend, call);
  };
}

async function review(resolver: RuleResolver, backend: Backend, call: Call): Promise<Outcome> {
  const { object, admit } = await virtualCreate(backend, call);
  const { namespace }: { namespace?: string } = object.spec ?? {};
  if (!namespace) throw badRequest('no namespace on request');
  await admit(object);
  const { rules, errors } = resolver.rulesFor(call.user, namespace);
  const answer: AnyObject = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.filter(({ resources }) => has(resources)).map(resourceRule),
      nonResourceRules: rules
        .filter(({ nonResourceURLs }) => has(nonResourceURLs))
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(errors.length > 0 && { evaluationError: joinMessages(errors) }),
    },
  };
  return { kind: 'object', status: 201, object: answer };
}

const has = (values: readonly string[] | undefined): boolean => (values ?? []).length > 0;

const resourceRule = ({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object => ({
  verbs,
  ...(has(apiGroups) && { apiGroups }),
  resources,
  ...(has(resourceNames) && { resourceNames }),
});
