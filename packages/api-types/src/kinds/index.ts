import {
  type ConversionClient,
  type CustomResourceDefinition,
  toCustomResourceDefinitions,
} from '@flotilla/schema/define';
import { ServiceName, WebhookPath } from '../names/index.ts';
import { allKinds } from './all-kinds.ts';

export { allKinds } from './all-kinds.ts';
export { applyDefaults, check, kindDefinitionOf, prune, validate, validatorOf } from './validate.ts';

/**
 * The CustomResourceDefinitions of all kinds, ready to install. Two add-on kinds have versions that only a webhook can convert:
 * with one they are as in OCM, without one they are served in v1beta1 alone, so that nothing gets lost.
 */
export const customResourceDefinitions = (conversion?: ConversionClient): CustomResourceDefinition[] =>
  toCustomResourceDefinitions(allKinds, conversion);

/** OCM's address of the conversion webhook in a cluster. */
export const conversionService = (namespace: string): ConversionClient => ({
  service: { namespace, name: ServiceName.AddOnWebhook, path: WebhookPath.Convert, port: 9443 },
});
