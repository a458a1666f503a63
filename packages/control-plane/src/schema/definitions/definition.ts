import type { KubeObject, ObjectMeta } from '@flotilla/schema';
import type { CustomResourceDefinition } from '../custom.ts';

/** Where definitions are stored. */
export const definitionStorage = 'apiextensions.k8s.io/customresourcedefinitions';

/** Keeps a definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** What is stored as a definition was validated as one. */
export const asDefinition = (object: KubeObject): CustomResourceDefinition => object as CustomResourceDefinition;

export const conditionOf = (definition: CustomResourceDefinition, type: string): DefinitionCondition | undefined =>
  (definition.status?.conditions ?? []).find((condition) => condition.type === type) as DefinitionCondition | undefined;

export const isTrue = (definition: CustomResourceDefinition, type: string): boolean =>
  conditionOf(definition, type)?.status === 'True';

/** The conditions with one set; its time is that of its last change of status. */
export function withCondition(
  conditions: readonly DefinitionCondition[],
  next: DefinitionCondition,
  now: string,
): DefinitionCondition[] {
  const old = conditions.find(({ type }) => type === next.type);
  const lastTransitionTime = old?.status === next.status ? (old.lastTransitionTime ?? now) : now;
  const { type, status, reason, message } = next;
  const set: DefinitionCondition = { type, status, lastTransitionTime, reason, message };
  return old ? conditions.map((one) => (one.type === type ? set : one)) : [...conditions, set];
}

/** A definition as deletion begins: it stays until its objects are gone. */
export function markTerminating<T extends KubeObject>(object: T, now: string): T {
  const definition = asDefinition(object);
  const metadata: ObjectMeta = object.metadata ?? {};
  const finalizers = metadata.finalizers ?? [];
  const conditions = (definition.status?.conditions ?? []) as readonly DefinitionCondition[];
  const terminating: DefinitionCondition = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return {
    ...object,
    metadata: {
      ...metadata,
      finalizers: finalizers.includes(cleanupFinalizer) ? finalizers : [...finalizers, cleanupFinalizer],
    },
    status: { ...definition.status, conditions: withCondition(conditions, terminating, now) },
  };
}
