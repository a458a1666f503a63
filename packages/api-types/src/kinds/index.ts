import { ServiceName, WebhookPath } from '../names/index.ts';
import { type ConversionClient, type CustomResourceDefinition, toCustomResourceDefinitions } from '../schema/crd.ts';
import { allKinds } from './all-kinds.ts';

export {
  type ConversionClient,
  type ConversionWebhook,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  customResourceDefinitionResource,
  structuralSchemaOf,
} from '../schema/crd.ts';
export type { KindDefinition, PrinterColumn } from '../schema/define-kind.ts';
export { allKinds } from './all-kinds.ts';
export { applyDefaults, judge, kindDefinitionOf, prune, toValidatedKind, validate, validatorOf } from './validate.ts';

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
