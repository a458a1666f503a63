import { KubeError } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { AdmissionPlugin, AdmissionRequest, MutationRound, Warn } from '../../contracts/admission.ts';
import type { ObjectSchemas } from '../../contracts/object-schemas.ts';
import { apiVersionOf, type ResourceInfo } from '../../contracts/resource-info.ts';
import type { Storage } from '../../contracts/storage.ts';
import { internal } from '../../errors/api-errors.ts';
import { applyJsonPatch } from '../../patch/index.ts';
import { type AskOptions, ask } from './ask.ts';
import { isExempt, type RegisteredWebhook, registeredWebhooks } from './configuration.ts';
import { invocationOf, type MatchOptions } from './match.ts';
import { inVersionOf } from './review.ts';

export interface MutatingOptions extends AskOptions, MatchOptions {
  readonly storage: Pick<Storage, 'get' | 'list'>;
  readonly schemas: Pick<ObjectSchemas, 'prune' | 'applyDefaults'>;
}

/** Asks the mutating webhooks one after the other; each sees what the ones before made of the object. */
export const mutatingWebhooks = (options: MutatingOptions): AdmissionPlugin => ({
  name: 'MutatingAdmissionWebhook',
  handles: ({ info }) => !isExempt(info.storage),
  async mutate(request, warn, round) {
    let current = request;
    for (const registered of registeredWebhooks(options.storage, 'mutating')) {
      const object = await mutateBy(options, registered, current, warn, round);
      if (!object) continue;
      current = { ...current, object };
      // Webhooks that were called before may be called again for the change, except the one that made it.
      for (const id of round.reinvocable) if (id !== registered.id) round.due.add(id);
      if (!round.again) round.requireAgain();
    }
    return current.object;
  },
});

/** What the webhook made of the object; undefined if it left it alone or was not asked. */
async function mutateBy(
  options: MutatingOptions,
  { id, webhook }: RegisteredWebhook,
  request: AdmissionRequest,
  warn: Warn,
  round: MutationRound,
): Promise<KubeObject | undefined> {
  if (round.again && !round.due.has(id)) return undefined;
  const info = await invocationOf(options, webhook, request);
  if (!info) return undefined;
  const response = await ask(options, webhook, info, request, { warn, mutating: true });
  const patched =
    response?.patch === undefined ? undefined : patch(options, webhook.name, info, request, response.patch);
  if (webhook.reinvocationPolicy === 'IfNeeded') round.reinvocable.add(id);
  return patched && !semanticEqual(patched, request.object) ? patched : undefined;
}

function patch(
  { schemas }: MutatingOptions,
  name: string,
  info: ResourceInfo,
  { object, info: requested }: AdmissionRequest,
  operations: unknown,
): KubeObject | undefined {
  if (Array.isArray(operations) && operations.length === 0) return undefined;
  if (!object) {
    throw internal(
      `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  const patched = applied(inVersionOf(info, object), operations);
  const { name: ownName, namespace, uid } = object.metadata ?? {};
  const identity = Object.fromEntries(
    Object.entries({ name: ownName, namespace, uid }).filter(([, value]) => value !== undefined),
  );
  const same: KubeObject = { ...patched, metadata: { ...patched.metadata, ...identity } };
  if (object.kind !== requested.kind) return same;
  const back: KubeObject = { ...same, apiVersion: apiVersionOf(requested), kind: requested.kind };
  return schemas.applyDefaults(requested, schemas.prune(requested, back).object);
}

function applied(object: KubeObject, operations: unknown): KubeObject {
  let patched: unknown;
  try {
    patched = applyJsonPatch(object, operations);
  } catch (error) {
    // A patch that does not fit is the webhook's mistake, and not one of the client.
    throw internal(error instanceof KubeError ? error.hint : String(error));
  }
  if (typeof patched !== 'object' || patched === null || Array.isArray(patched)) {
    throw internal('a webhook turned the object into something that is not an object');
  }
  return patched;
}
