import type { LabelSelector } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { Storage } from '../../contracts/storage.ts';
import type { ClientConfig } from '../../contracts/webhook-caller.ts';
import type { Rule } from '../rules.ts';

/** One webhook of a configuration, mutating or validating. */
export interface Webhook {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly rules?: readonly Rule[];
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

/** A webhook with a name that is unique over all configurations. */
export interface RegisteredWebhook {
  readonly id: string;
  readonly webhook: Webhook;
}

const group = 'admissionregistration.k8s.io';

/** Webhooks are not called for webhook configurations: a broken webhook could never be fixed. */
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
