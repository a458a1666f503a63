import type { Condition } from '@flotilla/schema';
import type { EpochMs } from '../clock/time.ts';
import { formatTime } from '../meta/time.ts';

/** What an owner says about a condition; the time of the last transition is kept by `setCondition`. */
export type ConditionInput = Omit<Condition, 'lastTransitionTime'>;

/** The condition of a type, if there is one. */
export const findCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

/** True only for status `True`: absent and `Unknown` are not. */
export const isConditionTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'True';

/** True only for status `False`: absent and `Unknown` are not. */
export const isConditionFalse = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'False';

const saysTheSame = (a: ConditionInput, b: ConditionInput): boolean =>
  a.status === b.status &&
  a.reason === b.reason &&
  a.message === b.message &&
  (a.observedGeneration ?? 0) === (b.observedGeneration ?? 0);

/**
 * Whether two lists say the same: same types, status, reason, message, observed generation and transition time.
 * The order does not matter: conditions are a map by type.
 */
export function conditionsEqual(a: readonly Condition[] = [], b: readonly Condition[] = []): boolean {
  if (a.length !== b.length) return false;
  return a.every((condition) => {
    const other = findCondition(b, condition.type);
    return (
      other !== undefined && saysTheSame(condition, other) && condition.lastTransitionTime === other.lastTransitionTime
    );
  });
}

const conditionOf = (input: ConditionInput, current: Condition | undefined, now: EpochMs): Condition => {
  const { type, status, reason, message, observedGeneration } = input;
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: current?.status === status ? current.lastTransitionTime : formatTime(now),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
};

/**
 * The list with one condition set. Its transition time is `now` if the status is new or changed, and stays otherwise.
 * Its place in the list stays; a new type goes to the end. The same list is returned if it says so already.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  input: ConditionInput,
  now: EpochMs,
): readonly Condition[] {
  const current = findCondition(conditions, input.type);
  if (conditions && current && saysTheSame(current, input)) return conditions;
  const next = conditionOf(input, current, now);
  if (!conditions || !current) return [...(conditions ?? []), next];
  return conditions.map((condition) => (condition === current ? next : condition));
}

/** The list with several conditions set; others stay as they are. There may be thousands: those of rules that users write. */
export function setConditions(
  conditions: readonly Condition[] | undefined,
  inputs: readonly ConditionInput[],
  now: EpochMs,
): readonly Condition[] {
  const before = conditions ?? [];
  const list = [...before];
  const places = new Map(list.map(({ type }, place): [string, number] => [type, place]).reverse());
  let isChanged = false;
  for (const input of inputs) {
    const place = places.get(input.type);
    const current = place === undefined ? undefined : list[place];
    if (current && saysTheSame(current, input)) continue;
    isChanged = true;
    const next = conditionOf(input, current, now);
    if (place === undefined) places.set(input.type, list.push(next) - 1);
    else list[place] = next;
  }
  return isChanged ? list : before;
}

/** The list without a type; the same list if it is not there. */
export const removeCondition = (conditions: readonly Condition[], type: string): readonly Condition[] =>
  findCondition(conditions, type) ? conditions.filter((condition) => condition.type !== type) : conditions;
