import { child, children, type Defaulter, ensure, fill } from './fill.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

/** Users and groups are names of RBAC itself; service accounts are objects of the core group. */
export const defaultRoleBinding: Defaulter = (binding) => {
  fill(ensure(binding, 'roleRef'), { apiGroup: rbacGroup });
  for (const subject of children(binding, 'subjects')) {
    if (subject.kind === 'User' || subject.kind === 'Group') fill(subject, { apiGroup: rbacGroup });
  }
};

const defaultWebhook: Defaulter = (webhook) => {
  fill(webhook, {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  });
  const service = child(child(webhook, 'clientConfig') ?? {}, 'service');
  if (service) fill(service, { port: 443 });
  for (const rule of children(webhook, 'rules')) fill(rule, { scope: '*' });
};

export const defaultValidatingWebhooks: Defaulter = (configuration) => {
  for (const webhook of children(configuration, 'webhooks')) defaultWebhook(webhook);
};

export const defaultMutatingWebhooks: Defaulter = (configuration) => {
  for (const webhook of children(configuration, 'webhooks')) {
    defaultWebhook(webhook);
    fill(webhook, { reinvocationPolicy: 'Never' });
  }
};

/** Which requests a policy or its binding is about. */
const defaultMatchResources: Defaulter = (constraints) => {
  fill(constraints, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
  for (const rule of [...children(constraints, 'resourceRules'), ...children(constraints, 'excludeResourceRules')]) {
    fill(rule, { scope: '*' });
  }
};

export const defaultAdmissionPolicy: Defaulter = (policy) => {
  const spec = ensure(policy, 'spec');
  fill(spec, { failurePolicy: 'Fail' });
  const constraints = child(spec, 'matchConstraints');
  if (constraints) defaultMatchResources(constraints);
};

export const defaultAdmissionPolicyBinding: Defaulter = (binding) => {
  const constraints = child(child(binding, 'spec') ?? {}, 'matchResources');
  if (constraints) defaultMatchResources(constraints);
};

export const defaultPriorityClass: Defaulter = (priorityClass) =>
  fill(priorityClass, { preemptionPolicy: 'PreemptLowerPriority' });

/** A policy that does not say what it is about is about what comes in, and about what goes out if it has rules for that. */
export const defaultNetworkPolicy: Defaulter = (policy) => {
  const spec = ensure(policy, 'spec');
  for (const rule of [...children(spec, 'ingress'), ...children(spec, 'egress')]) {
    for (const port of children(rule, 'ports')) fill(port, { protocol: 'TCP' });
  }
  fill(spec, { policyTypes: spec.egress === undefined ? ['Ingress'] : ['Ingress', 'Egress'] });
};

export const defaultIngressClass: Defaulter = (ingressClass) => {
  const parameters = child(child(ingressClass, 'spec') ?? {}, 'parameters');
  if (parameters) fill(parameters, { scope: 'Cluster' });
};

export const defaultApiService: Defaulter = (apiService) => {
  const service = child(child(apiService, 'spec') ?? {}, 'service');
  if (service) fill(service, { port: 443 });
};
