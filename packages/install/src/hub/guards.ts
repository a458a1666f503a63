import { hubPolicies } from '@flotilla/registration-core/hub';
import type { KubeObject } from '@flotilla/schema';
import { workPolicies } from '@flotilla/work-manager';
import { type WebhookAddress, webhookConfigurations, webhookReferences } from './webhook-configurations.ts';

/** The admission policies that guard a hub without a webhook server. */
export const admissionPolicies = (): KubeObject[] => [...hubPolicies(), ...workPolicies()];

/**
 * What guards who may accept clusters, move them between sets, remove them by force, and name executors: webhooks if a server
 * answers them, policies that the API server evaluates by itself if none does.
 */
export const hubGuards = (webhooks: WebhookAddress | undefined): KubeObject[] =>
  webhooks ? webhookConfigurations(webhooks) : admissionPolicies();

/** The guards of the other kind, which an earlier installation may have applied. */
export const replacedGuards = (webhooks: WebhookAddress | undefined): KubeObject[] =>
  webhooks ? admissionPolicies() : webhookReferences();
