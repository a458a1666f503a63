import type { AdmissionRequest } from '../../contracts/admission.ts';
import type { Registry, ResourceInfo } from '../../contracts/resource-info.ts';
import type { Storage } from '../../contracts/storage.ts';
import { forbidden } from '../../errors/api-errors.ts';
import { matchedVersion, matchesNamespace, matchesObject } from '../rules.ts';
import type { Webhook } from './configuration.ts';
import type { MatchConditions } from './match-conditions.ts';

export interface MatchOptions {
  readonly storage: Pick<Storage, 'get'>;
  readonly registry: Pick<Registry, 'all'>;
  readonly conditions: MatchConditions;
}

/** The version of the resource in which the webhook is called; undefined if it does not match. */
export async function invocationOf(
  options: MatchOptions,
  webhook: Webhook,
  request: AdmissionRequest,
): Promise<ResourceInfo | undefined> {
  if (!matchesObject(webhook.objectSelector, request)) return undefined;
  const info = matchedVersion(options.registry, webhook, request);
  if (!info || !matchesNamespace(options.storage, webhook.namespaceSelector, request)) return undefined;
  return (await meetsConditions(options.conditions, webhook, info, request)) ? info : undefined;
}

async function meetsConditions(
  conditions: MatchConditions,
  { matchConditions = [], failurePolicy = 'Fail' }: Webhook,
  info: ResourceInfo,
  request: AdmissionRequest,
): Promise<boolean> {
  if (matchConditions.length === 0) return true;
  const { matches, errors } = await conditions.evaluate(matchConditions, info, request);
  if (errors.length === 0) return matches;
  if (failurePolicy === 'Ignore' || !matches) return false;
  throw forbidden(info, request.name, errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`);
}
