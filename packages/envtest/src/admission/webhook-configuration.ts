import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';

/** Which requests reach a webhook: admissionregistration.k8s.io/v1. */
export interface WebhookRule {
  apiGroups: readonly string[];
  apiVersions: readonly string[];
  resources: readonly string[];
  operations: readonly ('CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*')[];
  scope?: 'Cluster' | 'Namespaced' | '*';
}

/** What both kinds of webhook are registered with. */
export interface WebhookRegistration {
  type: 'validating' | 'mutating';
  /** Name of the configuration object, a DNS label. */
  name: string;
  rules: readonly WebhookRule[];
  /** `https://127.0.0.1:port/path` */
  url: string;
  /** PEM of the CA that signed the certificate of the webhook. */
  ca: string;
  /** What happens to a request when the webhook cannot be reached. Default `Fail`. */
  failurePolicy?: 'Fail' | 'Ignore';
  timeoutSeconds?: number;
  namespaceSelector?: object;
  objectSelector?: object;
  matchConditions?: readonly { name: string; expression: string }[];
}

/** The object that registers webhooks. */
export interface WebhookConfiguration extends KubeObject {
  webhooks: { name: string; clientConfig: { url: string; caBundle: string } }[];
}

/** Objects with this label, dry-run and never stored, show whether a registration has taken effect. */
export const probeLabel = 'flotilla-envtest/probe';

/** Where configurations of that type are served. */
export const configurationsOf = (type: WebhookRegistration['type']): ResourceType =>
  type === 'validating' ? validatingWebhookConfigurations : mutatingWebhookConfigurations;

/** The configuration object; `probe` adds a second webhook at the same server that only labelled ConfigMaps reach. */
export function webhookConfiguration(registration: WebhookRegistration, probe?: string): WebhookConfiguration {
  const { type, name, rules, url, ca, failurePolicy = 'Fail', timeoutSeconds = 10 } = registration;
  const webhook = (prefix: string, details: object) => ({
    name: `${prefix}.flotilla-envtest.local`,
    clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds,
    ...details,
  });
  const { namespaceSelector, objectSelector, matchConditions } = registration;
  const webhooks = [
    webhook(name, {
      rules,
      failurePolicy,
      ...(namespaceSelector && { namespaceSelector }),
      ...(objectSelector && { objectSelector }),
      ...(matchConditions && { matchConditions }),
    }),
  ];
  if (probe) {
    webhooks.push(
      webhook(`${name}-probe`, {
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        failurePolicy: 'Ignore',
        objectSelector: { matchLabels: { [probeLabel]: probe } },
      }),
    );
  }
  const { group, version, kind } = configurationsOf(type);
  return { apiVersion: `${group}/${version}`, kind, metadata: { name }, webhooks };
}
