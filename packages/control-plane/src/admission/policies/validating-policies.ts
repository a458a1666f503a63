import { KubeError, type Logger } from '@flotilla/kube';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@flotilla/kube/kinds';
import type { Cel } from '@flotilla/rules/cel';
import type { KubeObject } from '@flotilla/schema';
import { type AdmissionPlugin, type AdmissionRequest, namespaceOf, type Warn } from '../../contracts/admission.ts';
import type { Authorizer } from '../../contracts/authorizer.ts';
import type { Registry, ResourceInfo } from '../../contracts/resource-info.ts';
import type { Storage } from '../../contracts/storage.ts';
import { forbidden, foreignStatus } from '../../errors/api-errors.ts';
import { authorizerOf } from '../../policy-expressions/authorizer-library.ts';
import { createExpressionRunner } from '../../policy-expressions/expressions.ts';
import { matchedVersion, matchesNamespace, matchesObject } from '../rules.ts';
import { isExempt } from '../webhooks/configuration.ts';
import { type CompiledPolicy, compilePolicy } from './compiled-policy.ts';
import { evaluatePolicy, type PolicyResult } from './evaluate-policy.ts';
import { ConfigurationError, paramResource, paramsOf } from './params.ts';

export interface PolicyOptions {
  readonly storage: Pick<Storage, 'get' | 'list'>;
  readonly registry: Pick<Registry, 'all' | 'forKind'>;
  readonly authorizer: Authorizer;
  readonly log: Logger;
}

const group = 'admissionregistration.k8s.io';
export const policyStorage = `${group}/validatingadmissionpolicies`;
export const bindingStorage = `${group}/validatingadmissionpolicybindings`;

/** As stored: the schema of the kind is not repeated here. */
type Binding = Partial<ValidatingAdmissionPolicyBinding>;
type MatchResources = NonNullable<NonNullable<ValidatingAdmissionPolicy['spec']>['matchConstraints']>;

/** A refusal of a request, and by which policy. */
interface Denial {
  readonly message: string;
  readonly reason?: string;
  readonly policy: string;
  /** Unset if it is the policy that is wrong. */
  readonly binding?: string;
}

/** Requests that policies are not asked about: a broken policy could not be fixed otherwise, or nothing is stored. */
const excluded = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

/** Evaluates the ValidatingAdmissionPolicies that are bound. Reports the first refusal, in the order of policy names. */
export function validatingPolicies(options: PolicyOptions): AdmissionPlugin {
  const compiled = createPolicyCache();
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: ({ info }) => !isExempt(info.storage) && !excluded.has(info.storage),
    async validate(request, warn) {
      const policies: readonly ValidatingAdmissionPolicy[] = options.storage.list(policyStorage);
      if (policies.length === 0) return;
      const bindings: readonly Binding[] = options.storage.list(bindingStorage);
      const denials: Denial[] = [];
      for (const policy of policies) {
        const own = bindings.filter(({ spec }) => spec?.policyName === policy.metadata?.name);
        if (own.length === 0) continue;
        denials.push(...(await denialsOf(options, compiled, { policy, bindings: own, request, warn })));
      }
      const [first] = denials;
      if (first) throw refusal(request, first);
    },
  };
}

interface Consultation {
  readonly policy: ValidatingAdmissionPolicy;
  readonly bindings: readonly Binding[];
  readonly request: AdmissionRequest;
  readonly warn: Warn;
}

/** The failures of a policy for a request, over all of its bindings. */
async function denialsOf(options: PolicyOptions, compiled: PolicyCache, consultation: Consultation): Promise<Denial[]> {
  const { policy, bindings, request } = consultation;
  const { spec = {} } = policy;
  const name = policy.metadata?.name ?? '';
  const ignoresErrors = spec.failurePolicy === 'Ignore';
  const denials: Denial[] = [];
  const configured = <T>(what: string, binding: string | undefined, find: () => T): T | undefined => {
    try {
      return find();
    } catch (error) {
      if (!(error instanceof ConfigurationError || error instanceof KubeError)) throw error;
      const message = `failed to configure ${what}: ${error instanceof KubeError ? error.hint : error.message}`;
      if (!ignoresErrors) denials.push({ message, policy: name, ...(binding !== undefined && { binding }) });
      return undefined;
    }
  };
  const found = configured('policy', undefined, () => {
    const info = matchedResource(options, spec.matchConstraints, request);
    return info && { info, params: spec.paramKind && paramResource(options.registry, spec.paramKind) };
  });
  if (!found) return denials;
  for (const binding of bindings) {
    const bindingName = binding.metadata?.name ?? '';
    const params = configured('binding', bindingName, () => {
      const { matchResources, paramRef } = binding.spec ?? {};
      if (matchResources && !matchedResource(options, matchResources, request)) return [];
      if (!found.params || !paramRef) return [null];
      return paramsOf(options.storage, found.params, paramRef, namespaceOf(request));
    });
    for (const param of params ?? []) {
      const input = {
        info: found.info,
        request,
        namespace: namespaceObject(options.storage, request),
        params: param,
        authorizer: authorizerOf(options.authorizer, request.info, request),
      };
      const result = await evaluatePolicy(compiled(policy), input, ignoresErrors);
      denials.push(...acted(options, consultation, binding, result));
    }
  }
  return denials;
}

/** Does what the binding wants done about failures: warns, records, or denies. */
function acted(
  { log }: PolicyOptions,
  { policy: { metadata }, warn }: Consultation,
  binding: Binding,
  { failures, auditAnnotations, auditErrors }: PolicyResult,
): Denial[] {
  const policy = metadata?.name ?? '';
  const name = binding.metadata?.name ?? '';
  const actions = binding.spec?.validationActions ?? [];
  const denials: Denial[] = [];
  for (const { message, reason, index } of failures) {
    if (actions.includes('Deny')) denials.push({ message, policy, binding: name, ...(reason && { reason }) });
    if (actions.includes('Warn')) {
      warn(`Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${message}`);
    }
    if (actions.includes('Audit')) {
      log.info('a validation failed', { policy, binding: name, expressionIndex: index, message });
    }
  }
  if (Object.keys(auditAnnotations).length > 0) log.info('audit annotations', { policy, ...auditAnnotations });
  return [...denials, ...auditErrors.map((message) => ({ message, policy, binding: name }))];
}

/** The resource in the version that the rules name; undefined if they do not match. */
function matchedResource(
  { storage, registry }: PolicyOptions,
  constraints: MatchResources | undefined,
  request: AdmissionRequest,
): ResourceInfo | undefined {
  if (!constraints) throw new ConfigurationError('policy contained no match constraints, a required field');
  const { namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = constraints;
  const matchPolicy = constraints.matchPolicy === 'Exact' ? 'Exact' : 'Equivalent';
  if (!matchesObject(objectSelector, request)) return undefined;
  if (matchedVersion(registry, { rules: excludeResourceRules, matchPolicy }, request)) return undefined;
  const info =
    resourceRules.length === 0
      ? request.info
      : matchedVersion(registry, { rules: resourceRules, matchPolicy }, request);
  return info && matchesNamespace(storage, namespaceSelector, request) ? info : undefined;
}

/** What expressions see of the namespace of a request. A namespace itself is in none. */
function namespaceObject(storage: Pick<Storage, 'get'>, { info, namespace }: AdmissionRequest): KubeObject | null {
  if (info.storage === '/namespaces' || namespace === undefined || namespace === '') return null;
  const found = storage.get('/namespaces', namespace);
  if (!found) return null;
  const { managedFields: _, ownerReferences: __, ...metadata } = found.metadata ?? {};
  const { apiVersion: ___, kind: ____, ...rest } = found;
  return { ...rest, metadata };
}

const codes: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

function refusal({ info, name }: AdmissionRequest, denial: Denial): KubeError {
  const bound = denial.binding === undefined ? '' : ` with binding '${denial.binding}'`;
  const message = `ValidatingAdmissionPolicy '${denial.policy}'${bound} denied request: ${denial.message}`;
  const error = forbidden(info, name, message, [{ message }]);
  const { reason = 'Invalid' } = denial;
  return foreignStatus({ ...error.apiStatus, reason, code: codes[reason] ?? 422 });
}

/** Compiles a policy when it is first asked for in a version. */
type PolicyCache = (policy: ValidatingAdmissionPolicy) => CompiledPolicy;

function createPolicyCache(): PolicyCache {
  // Policies are not changed in place: another version is another object.
  const known = new WeakMap<ValidatingAdmissionPolicy, CompiledPolicy>();
  let cel: Cel | undefined;
  return (policy) => {
    const before = known.get(policy);
    if (before) return before;
    cel ??= createExpressionRunner();
    const compiled = compilePolicy(cel, policy);
    known.set(policy, compiled);
    return compiled;
  };
}
