import { isDeepStrictEqual } from 'node:util';
import { type Clock, formatTime, keyOf } from '@flotilla/kube';
import type { Storage } from '../storage/storage.ts';
import { type CustomResourceDefinition, customResources, customStorage } from './custom.ts';
import { asDefinition, definitionStorage, isTrue } from './definitions/definition.ts';
import { statusOf } from './definitions/status.ts';
import type { Registry } from './resource-info.ts';

export interface FollowOptions {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock: Clock;
}

/**
 * Keeps the registry in step with the stored definitions: a version is served as soon as its definition is committed, before anybody is
 * answered. The status follows as a write of its own, right after the one it is about. Call the result to stop.
 */
export function followDefinitions({ storage, registry, clock }: FollowOptions): () => void {
  let stopped = false;
  let planned = false;

  const all = (): CustomResourceDefinition[] => storage.list(definitionStorage).map(asDefinition);

  const writeStatuses = (): void => {
    planned = false;
    if (stopped) return;
    for (const { metadata } of all()) {
      // Looked up again: the status of the one before may have been about names that this one wants.
      const definition = all().find((one) => one.metadata?.name === metadata?.name);
      if (definition) writeStatus(definition);
    }
  };

  const writeStatus = (definition: CustomResourceDefinition): void => {
    const others = all().filter((other) => other.metadata?.name !== definition.metadata?.name);
    const status = statusOf(definition, others, formatTime(clock.now()));
    if (isDeepStrictEqual(definition.status, { ...definition.status, ...status })) return;
    storage.put(definitionStorage, keyOf(definition), { ...definition, ...{ status } });
  };

  const plan = (): void => {
    if (planned || stopped) return;
    planned = true;
    // Not within the write that is being told: others must hear of that one first.
    queueMicrotask(writeStatuses);
  };

  const serve = (definition: CustomResourceDefinition): void => {
    const others = all().filter((other) => other.metadata?.name !== definition.metadata?.name);
    const { conditions } = statusOf(definition, others, formatTime(clock.now()));
    const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
    if (overlapsBuiltIn(registry, definition)) return;
    const versions = established ? customResources(definition) : [];
    registry.setCustom(
      customStorage(definition),
      // Nothing new is let in while everything is being deleted.
      isTrue(definition, 'Terminating')
        ? versions.map((info) => ({ ...info, verbs: info.verbs.filter((verb) => verb !== 'create') }))
        : versions,
    );
  };

  const unsubscribe = storage.subscribe(definitionStorage, ({ type, object, previous }) => {
    const definition = asDefinition(object);
    if (type === 'DELETED') registry.setCustom(customStorage(definition), []);
    else if (!previous || servesOther(definition, asDefinition(previous))) serve(definition);
    plan();
  });
  for (const definition of all()) serve(definition);
  plan();
  return () => {
    stopped = true;
    unsubscribe();
  };
}

/** A change of metadata alone keeps what was compiled for the resource. */
const servesOther = (next: CustomResourceDefinition, old: CustomResourceDefinition): boolean =>
  !isDeepStrictEqual(next.spec, old.spec) ||
  ['Established', 'Terminating'].some((type) => isTrue(next, type) !== isTrue(old, type));

/** A kind that the server knows from the start cannot be defined again. */
const overlapsBuiltIn = (registry: Registry, { spec }: CustomResourceDefinition): boolean =>
  registry
    .all()
    .some(({ source, group, plural }) => source === 'built-in' && group === spec.group && plural === spec.names.plural);
