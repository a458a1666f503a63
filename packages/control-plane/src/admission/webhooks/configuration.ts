import type { KubeObject } from '@flotilla/api-types';
import type { LabelSelector } from '@flotilla/kube';
import type { Storage } from '../../storage/storage.ts';

/** A service that answers webhooks; the port is 443 unless it says otherwise. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export interface ClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** PEM in base64; the machine's roots if unset. */
  readonly caBundle?: string;
}

export interface WebhookRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

/** One webhook of a configuration, mutating or validating. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly WebhookRule[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

/** A webhook with the name that tells it from its namesakes in other configurations. */
export interface RegisteredWebhook {
  readonly id: string;
  readonly webhook: Webhook;
}

const group = 'admissionregistration.k8s.io';

/** Webhooks do not watch over webhooks: a broken one could never be mended. */
export const isExempt = (storage: string): boolean => storage.startsWith(`${group}/`);

/** All webhooks, by the names of their configurations. Storage lists in that order. */
export const registeredWebhooks = (
  storage: Pick<Storage, 'list'>,
  kind: 'mutating' | 'validating',
): RegisteredWebhook[] => {
  const configurations: readonly WebhookConfiguration[] = storage.list(`${group}/${kind}webhookconfigurations`);
  return configurations.flatMap(({ metadata, webhooks = [] }) =>
    webhooks.map((webhook, index) => ({ id: `${metadata?.uid}/${index}/${webhook.name}`, webhook })),
  );
};
