import { formatTime } from '@flotilla/kube/meta';
import { type FieldCause, invalid } from '../../errors/api-errors.ts';
import type { AnyObject } from '../prepare.ts';
import type { UpdateRule } from './update-rules.ts';

interface RequestCondition {
  readonly type: string;
  readonly status: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

interface RequestStatus {
  readonly conditions?: readonly RequestCondition[];
  readonly certificate?: string;
}

const statusOf = (object: AnyObject): RequestStatus => (object.status ?? {}) as RequestStatus;

/** `approval` decides: conditions may be added, the certificate is not touched. */
export const approvalUpdate: UpdateRule = (next, old, now) => {
  const { certificate } = statusOf(old);
  const conditions = stamped(statusOf(next).conditions ?? [], statusOf(old).conditions ?? [], now);
  refuseUnless(next, [...removals(next, old), ...contradictions(conditions)]);
  return withStatus(next, old, { conditions, ...(certificate !== undefined && { certificate }) });
};

/** `status` issues: the certificate may be set once, and what was decided stays as it is. */
export const certificateUpdate: UpdateRule = (next, old, now) => {
  const kept = keepDecisions(statusOf(next).conditions ?? [], statusOf(old).conditions ?? []);
  const conditions = stamped(kept, statusOf(old).conditions ?? [], now);
  const { certificate } = statusOf(next);
  const causes = [...removals(next, old), ...additions(next, old), ...contradictions(conditions)];
  const before = statusOf(old).certificate;
  if (before && certificate !== before) {
    causes.push(forbid('status.certificate', 'updates may not modify existing certificate content'));
  }
  refuseUnless(next, causes);
  return withStatus(next, old, {
    ...(conditions.length > 0 && { conditions }),
    ...(certificate !== undefined && { certificate }),
  });
};

const withStatus = (next: AnyObject, old: AnyObject, status: RequestStatus): AnyObject => ({
  ...old,
  metadata: next.metadata ?? {},
  status,
});

const decisions = ['Approved', 'Denied'];

/** As many of a kind as before: then they are those from before. */
function keepDecisions(next: readonly RequestCondition[], old: readonly RequestCondition[]): RequestCondition[] {
  return next.map((condition) => {
    if (!decisions.includes(condition.type) || count(next, condition.type) !== count(old, condition.type)) {
      return condition;
    }
    return old.find(({ type }) => type === condition.type) ?? condition;
  });
}

const count = (conditions: readonly RequestCondition[], type: string): number =>
  conditions.filter((condition) => condition.type === type).length;

/** Times that the client left out: a condition that was there with this status has its old transition. */
const stamped = (
  next: readonly RequestCondition[],
  old: readonly RequestCondition[],
  now: number,
): RequestCondition[] =>
  next.map((condition) => {
    const same = old.find(({ type, status }) => type === condition.type && status === condition.status);
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? formatTime(now),
      lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? formatTime(now),
    };
  });

const forbid = (field: string, why: string): FieldCause => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${why}`,
});

/** How many conditions of a type came or went. */
const grown = (next: AnyObject, old: AnyObject, type: string): number =>
  count(statusOf(next).conditions ?? [], type) - count(statusOf(old).conditions ?? [], type);

const removals = (next: AnyObject, old: AnyObject): FieldCause[] =>
  [...decisions, 'Failed']
    .filter((type) => grown(next, old, type) < 0)
    .map((type) => forbid('status.conditions', `updates may not remove a condition of type "${type}"`));

const additions = (next: AnyObject, old: AnyObject): FieldCause[] =>
  decisions
    .filter((type) => grown(next, old, type) > 0)
    .map((type) => forbid('status.conditions', `updates may not add a condition of type "${type}"`));

function contradictions(conditions: readonly RequestCondition[]): FieldCause[] {
  const causes: FieldCause[] = [];
  const seen = new Set<string>();
  conditions.forEach(({ type, status }, index) => {
    if ([...decisions, 'Failed'].includes(type) && status !== 'True') {
      causes.push({
        reason: 'FieldValueNotSupported',
        field: `status.conditions[${index}].status`,
        message: `Unsupported value: ${JSON.stringify(status)}: supported values: "True"`,
      });
    }
    if (seen.has(type)) {
      causes.push({
        reason: 'FieldValueDuplicate',
        field: `status.conditions[${index}].type`,
        message: `Duplicate value: ${JSON.stringify(type)}`,
      });
    }
    seen.add(type);
    if (decisions.every((decision) => seen.has(decision)) && decisions.includes(type)) {
      causes.push({
        reason: 'FieldValueInvalid',
        field: 'status.conditions',
        message: `Invalid value: ${JSON.stringify(type)}: Approved and Denied conditions are mutually exclusive`,
      });
    }
  });
  return causes;
}

function refuseUnless(object: AnyObject, causes: readonly FieldCause[]): void {
  if (causes.length === 0) return;
  const kind = { group: 'certificates.k8s.io', kind: 'CertificateSigningRequest' };
  throw invalid(kind, object.metadata?.name ?? '', causes);
}
