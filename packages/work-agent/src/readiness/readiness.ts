import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../manifest.ts';

/** Whether an object has come to what its spec asks for, in the words of kstatus. */
export interface Readiness {
  readonly status: 'Current' | 'InProgress' | 'Failed' | 'Terminating';
  readonly message: string;
}

/** Decides by the spec and the status of an object of one kind, whose status is about its newest generation. Pure. */
export type ReadinessRule = (object: ObservedObject) => Readiness;

/** The fields of an object that rules read. What a controller has not written, or not as expected, is absent. */
export interface ObservedObject {
  readonly spec: Fields;
  readonly status: Fields;
  readonly conditions: readonly ObservedCondition[];
}

/** A condition of an object; not all kinds have the fields of `metav1.Condition`. */
export interface ObservedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number | undefined;
}

/** Reads fields whose types nothing guarantees: a custom resource may have any. */
export interface Fields {
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  fields(name: string): Fields;
  list(name: string): readonly Fields[];
}

const fieldsOf = (value: unknown): Fields => {
  const read = (name: string): unknown => (isRecord(value) ? value[name] : undefined);
  return {
    text(name) {
      const field = read(name);
      return typeof field === 'string' ? field : undefined;
    },
    number(name) {
      const field = read(name);
      return typeof field === 'number' || typeof field === 'bigint' ? Number(field) : undefined;
    },
    fields: (name) => fieldsOf(read(name)),
    list(name) {
      const field = read(name);
      return Array.isArray(field) ? field.map(fieldsOf) : [];
    },
  };
};

/** What rules read of an object. */
export function observedObject(object: Manifest): ObservedObject {
  const status = fieldsOf(object.status);
  return {
    spec: fieldsOf(object.spec),
    status,
    conditions: status.list('conditions').map((condition) => ({
      type: condition.text('type') ?? '',
      status: condition.text('status') ?? '',
      reason: condition.text('reason') ?? '',
      message: condition.text('message') ?? '',
      observedGeneration: condition.number('observedGeneration'),
    })),
  };
}

/** The condition of this type, if it has this status. */
export const conditionWith = (
  { conditions }: ObservedObject,
  type: string,
  status: 'True' | 'False',
): ObservedCondition | undefined =>
  conditions.find((condition) => condition.type === type && condition.status === status);

export const current = (message: string): Readiness => ({ status: 'Current', message });
export const inProgress = (message: string): Readiness => ({ status: 'InProgress', message });
export const failed = (message: string): Readiness => ({ status: 'Failed', message });
