import type { Clock } from '@flotilla/kube';
import { joinKey, KubeError } from '@flotilla/kube';
import type { Pod, ResourceQuota } from '@flotilla/kube/kinds';
import type { AdmissionPlugin, AdmissionRequest } from '../contracts/admission.ts';
import type { Storage } from '../contracts/storage.ts';
import { forbidden } from '../errors/api-errors.ts';
import { type Amounts, amountsText, exceeding, increase, masked, sum, withoutZeros } from '../quota/amounts.ts';
import { missingCompute } from '../quota/pod-usage.ts';
import { isInScopes, isTerminating } from '../quota/scopes.ts';
import { isCounted, namesFor, usageOf } from '../quota/usage.ts';

export interface ResourceQuotaOptions {
  readonly storage: Pick<Storage, 'get' | 'list'>;
  readonly clock: Clock;
  /** Replaces the status of a quota; refused with Conflict if the quota was changed meanwhile. */
  readonly updateQuotaStatus: (quota: ResourceQuota) => Promise<unknown>;
}

const attempts = 3;

/** Kinds of which an object can come to use more after it was created. */
const growing = new Set(['/services', '/persistentvolumeclaims']);

/** Refuses what would use more than the quotas of a namespace allow. Runs last, since what it admits is charged at once. */
export function resourceQuota(options: ResourceQuotaOptions): AdmissionPlugin {
  const { storage } = options;
  /** One request at a time in a namespace, so that two requests cannot use the same remainder. */
  const turns = new Map<string, Promise<void>>();

  const inTurn = (namespace: string, work: () => Promise<void>): Promise<void> => {
    const before = turns.get(namespace) ?? Promise.resolve();
    const turn = before.then(work, work);
    turns.set(namespace, turn);
    const forget = () => {
      if (turns.get(namespace) === turn) turns.delete(namespace);
    };
    turn.then(forget, forget);
    return turn;
  };

  return {
    name: 'ResourceQuota',
    handles: ({ info, operation, subresource, namespace, object, oldObject }) => {
      if (subresource !== undefined || namespace === undefined || !isCounted(info)) return false;
      if (operation === 'CREATE') return true;
      if (operation !== 'UPDATE') return false;
      const isRetimed = info.storage === '/pods' && isTerminating(object as Pod) !== isTerminating(oldObject as Pod);
      return growing.has(info.storage) || isRetimed;
    },
    async validate(request) {
      const { namespace = '', info, name, operation } = request;
      if (storage.list('/resourcequotas', namespace).length === 0) return;
      // It will be refused for its name, and must not count twice.
      if (operation === 'CREATE' && storage.get(info.storage, joinKey(namespace, name))) return;
      await inTurn(namespace, () => charge(options, request));
    },
  };
}

async function charge(options: ResourceQuotaOptions, request: AdmissionRequest): Promise<void> {
  const { storage, updateQuotaStatus } = options;
  for (let attempt = 1; ; attempt++) {
    const quotas: readonly ResourceQuota[] = storage.list('/resourcequotas', request.namespace);
    const charged = quotas.flatMap((quota) => chargedQuota(options, request, quota) ?? []);
    if (request.dryRun) return;
    try {
      for (const quota of charged) await updateQuotaStatus(quota);
      return;
    } catch (error) {
      const isStale = KubeError.is(error, 'Conflict') || KubeError.is(error, 'NotFound');
      if (!isStale || attempt === attempts) throw error;
    }
  }
}

/** The quota after the request; undefined if the request does not concern it. */
function chargedQuota(
  { clock }: ResourceQuotaOptions,
  { info, name, object = {}, oldObject }: AdmissionRequest,
  quota: ResourceQuota,
): ResourceQuota | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const names = namesFor(info, Object.keys(hard));
  if (names.length === 0 || !isInScopes(quota, info.storage, object)) return undefined;
  const quotaName = quota.metadata?.name ?? '';
  const missing = info.storage === '/pods' ? missingCompute(object as Pod, names) : undefined;
  if (missing !== undefined) throw forbidden(info, name, `failed quota: ${quotaName}: ${missing}`);
  if (names.some((one) => used[one] === undefined)) {
    const unknown = [...names].sort().join(',');
    throw forbidden(info, name, `status unknown for quota: ${quotaName}, resources: ${unknown}`);
  }
  const now = clock.now();
  const isCharged = oldObject !== undefined && isInScopes(quota, info.storage, oldObject);
  const before: Amounts = isCharged ? usageOf(info, oldObject, now) : {};
  const requested = masked(withoutZeros(increase(usageOf(info, object, now), before)), Object.keys(hard));
  if (Object.keys(requested).length === 0) return undefined;
  const next = sum(used, requested);
  const exceeded = exceeding(masked(next, Object.keys(requested)), hard);
  if (exceeded.length > 0) {
    const [asked, taken, limit] = [requested, used, hard].map((amounts) => amountsText(masked(amounts, exceeded)));
    throw forbidden(info, name, `exceeded quota: ${quotaName}, requested: ${asked}, used: ${taken}, limited: ${limit}`);
  }
  return { ...quota, status: { ...quota.status, used: next } };
}
