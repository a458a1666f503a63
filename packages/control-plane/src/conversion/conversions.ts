import type { KubeObject } from '@flotilla/schema';
import type { Conversions } from '../contracts/conversions.ts';
import { apiVersionOf, type ConversionWebhook, type ResourceInfo } from '../contracts/resource-info.ts';
import type { WebhookCaller } from '../contracts/webhook-caller.ts';
import { bareMessage } from '../errors/bare-message.ts';
import { plainError } from '../patch/refusal.ts';
import { autoscalerInVersion } from '../schema/built-in/autoscalers.ts';
import { eventInVersion } from '../schema/built-in/events.ts';
import { conversionReview, convertedObjects, reviewVersionOf } from './conversion-review.ts';

/** How long a webhook may take; a definition cannot say. */
const timeoutSeconds = 30;

export interface ConversionOptions {
  readonly caller: Pick<WebhookCaller, 'call'>;
  readonly newUid: () => string;
}

/**
 * Converts by name alone, or by the webhook of the definition. What a webhook made of a stored object is kept as long as the object
 * and the definition are: many watchers ask for the same one.
 */
export function createConversions({ caller, newUid }: ConversionOptions): Conversions {
  const made = new WeakMap<ResourceInfo, WeakMap<KubeObject, KubeObject>>();

  const convert = async (
    { clientConfig, conversionReviewVersions }: ConversionWebhook,
    desiredAPIVersion: string,
    objects: readonly KubeObject[],
  ): Promise<readonly KubeObject[]> => {
    const from = `${objects[0]?.apiVersion}, Kind=${objects[0]?.kind}`;
    try {
      const reviewVersion = reviewVersionOf(conversionReviewVersions);
      const question = { uid: newUid(), reviewVersion, desiredAPIVersion, objects };
      return convertedObjects(question, await caller.call(clientConfig, conversionReview(question), timeoutSeconds));
    } catch (error) {
      const why = bareMessage(error);
      throw plainError(`conversion webhook for ${from} ${why.startsWith('returned ') ? why : `failed: ${why}`}`);
    }
  };

  const showByWebhook = async (
    info: ResourceInfo,
    webhook: ConversionWebhook,
    stored: readonly KubeObject[],
  ): Promise<readonly KubeObject[]> => {
    const cache = made.get(info) ?? new WeakMap<KubeObject, KubeObject>();
    made.set(info, cache);
    const apiVersion = apiVersionOf(info);
    const missing = stored.filter((object) => !cache.has(object));
    if (missing.length > 0) {
      // What another version wrote lacks the defaults of the stored one.
      const full = missing.map((object) => webhook.defaultStored(object));
      const foreign = full.filter((object) => object.apiVersion !== apiVersion);
      const converted = (foreign.length > 0 ? await convert(webhook, apiVersion, foreign) : []).values();
      for (const [at, object] of missing.entries()) {
        const given = full[at] ?? object;
        const fresh = given.apiVersion === apiVersion ? given : (converted.next().value ?? given);
        cache.set(object, info.fromStorage?.(fresh) ?? fresh);
      }
    }
    return stored.map((object) => cache.get(object) ?? object);
  };

  return {
    show: (info, stored) =>
      info.conversion
        ? showByWebhook(info, info.conversion, stored)
        : stored.map((object) =>
            renamed(info, info.defaultStored?.(object) ?? object, apiVersionOf(info), info.fromStorage),
          ),
    store(info, object) {
      const apiVersion = apiVersionOf({ group: storageGroup(info), version: info.storageVersion });
      if (!info.conversion || object.apiVersion === apiVersion)
        return renamed(info, object, apiVersion, info.toStorage);
      return convert(info.conversion, apiVersion, [object]).then(
        ([converted = object]) => info.toStorage?.(converted) ?? converted,
      );
    },
  };
}

/** Built-in kinds whose versions differ in more than their name. */
const builtInConversions: Readonly<Record<string, (object: KubeObject, apiVersion: string) => KubeObject>> = {
  '/events': eventInVersion,
  'autoscaling/horizontalpodautoscalers': autoscalerInVersion,
};

/** Conversion by name only, and without what the other version does not know. */
function renamed(
  info: ResourceInfo,
  object: KubeObject,
  apiVersion: string,
  prune: ((object: KubeObject) => KubeObject) | undefined,
): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const convert = builtInConversions[info.storage];
  if (convert) return convert(object, apiVersion);
  const converted = { ...object, apiVersion };
  return prune?.(converted) ?? converted;
}

const storageGroup = ({ storage }: ResourceInfo): string => storage.slice(0, storage.lastIndexOf('/'));
