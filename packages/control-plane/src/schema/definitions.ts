import { isDeepStrictEqual } from 'node:util';
import { type Clock, keyOf, type Logger } from '@flotilla/kube';
import { formatTime } from '@flotilla/kube/meta';
import type { Registry } from '../contracts/resource-info.ts';
import type { Storage } from '../contracts/storage.ts';
import { type CustomResourceDefinition, customResources, customStorage } from './custom.ts';
import { asDefinition, definitionStorage, isTrue } from './definitions/definition.ts';
import { statusOf } from './definitions/status.ts';

export interface FollowOptions {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long after a failed write of a status it is tried again. */
const retryMs = 5000;

/**
 * Keeps the registry in step with the stored definitions: a version is served as soon as its definition is committed, before the request is
 * answered. The status follows as a write of its own, right after the one it is about. Call the result to stop.
 */
export function followDefinitions(options: FollowOptions): () => void {
  const { storage, registry, clock, log } = options;
  let stopped = false;
  let planned = false;
  let cancelRetry = () => {};

  const all = () => definitionsIn(storage);

  const writeStatuses = (): void => {
    planned = false;
    if (stopped) return;
    try {
      for (const { metadata } of all()) {
        // Read again: the status of the definition before may have released names that this one needs.
        const definition = all().find((one) => one.metadata?.name === metadata?.name);
        if (definition) writeStatus(options, definition);
      }
    } catch (error) {
      // The disk may be full: no request waits for this write, so it can only be tried again.
      log.error('the status of a custom resource definition could not be written', { error });
      planned = true;
      cancelRetry = clock.schedule(retryMs, writeStatuses);
    }
  };

  const plan = (): void => {
    if (planned || stopped) return;
    planned = true;
    // Not within the notification of the first write: other subscribers must receive that one first.
    queueMicrotask(writeStatuses);
  };

  const unsubscribe = storage.subscribe(definitionStorage, ({ type, object, previous }) => {
    const definition = asDefinition(object);
    if (type === 'DELETED') registry.setCustom(customStorage(definition), []);
    else if (!previous || servesOther(definition, asDefinition(previous))) serve(options, definition);
    if (type === 'DELETED' || (previous && isOther(definition, asDefinition(previous)))) {
      registry.retire(customStorage(definition));
    }
    plan();
  });
  for (const definition of all()) serve(options, definition);
  plan();
  return () => {
    stopped = true;
    cancelRetry();
    unsubscribe();
  };
}

/** A change of metadata alone keeps what was compiled for the resource. */
const servesOther = (next: CustomResourceDefinition, old: CustomResourceDefinition): boolean =>
  !isDeepStrictEqual(next.spec, old.spec) ||
  isTrue(next, 'Established') !== isTrue(old, 'Established') ||
  isTerminating(next) !== isTerminating(old);

/** The condition comes after the deletion of its objects has begun, and goes before the definition does. */
const isTerminating = (definition: CustomResourceDefinition): boolean =>
  definition.metadata?.deletionTimestamp !== undefined || isTrue(definition, 'Terminating');

/** Whether watches have to begin anew, as with kube-apiserver: they would go on with an old schema, conversion or name. */
const isOther = (next: CustomResourceDefinition, old: CustomResourceDefinition): boolean =>
  !isDeepStrictEqual(next.spec, old.spec) ||
  (old.status?.acceptedNames !== undefined && !isDeepStrictEqual(next.status?.acceptedNames, old.status.acceptedNames));

/** A kind that the server knows from the start cannot be defined again. */
const overlapsBuiltIn = (registry: Registry, { spec }: CustomResourceDefinition): boolean =>
  registry
    .all()
    .some(({ source, group, plural }) => source === 'built-in' && group === spec.group && plural === spec.names.plural);

const definitionsIn = (storage: Storage): CustomResourceDefinition[] =>
  storage.list(definitionStorage).map(asDefinition);

/** The status that a definition has beside the others. */
function currentStatus({ storage, clock }: FollowOptions, definition: CustomResourceDefinition) {
  const others = definitionsIn(storage).filter((other) => other.metadata?.name !== definition.metadata?.name);
  return statusOf(definition, others, formatTime(clock.now()));
}

function writeStatus(options: FollowOptions, definition: CustomResourceDefinition): void {
  const status = currentStatus(options, definition);
  if (isDeepStrictEqual(definition.status, { ...definition.status, ...status })) return;
  options.storage.put(definitionStorage, keyOf(definition), { ...definition, ...{ status } });
}

/** Puts the versions of a definition into the registry. */
function serve(options: FollowOptions, definition: CustomResourceDefinition): void {
  const { registry } = options;
  const { conditions } = currentStatus(options, definition);
  const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  if (overlapsBuiltIn(registry, definition)) return;
  const versions = established ? customResources(definition) : [];
  registry.setCustom(
    customStorage(definition),
    // No objects are created while all are being deleted.
    isTerminating(definition)
      ? versions.map((info) => ({ ...info, verbs: info.verbs.filter((verb) => verb !== 'create') }))
      : versions,
  );
}
