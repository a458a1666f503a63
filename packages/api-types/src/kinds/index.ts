import { type CustomResourceDefinition, toCustomResourceDefinitions } from '../schema/crd.ts';
import { allKinds } from './all-kinds.ts';

export {
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  customResourceDefinitionResource,
  structuralSchemaOf,
} from '../schema/crd.ts';
export type { KindDefinition, PrinterColumn } from '../schema/define-kind.ts';
export { allKinds } from './all-kinds.ts';
export { applyDefaults, judge, kindDefinitionOf, prune, toValidatedKind, validate, validatorOf } from './validate.ts';

/** The CustomResourceDefinitions of all kinds, ready to install. */
export const customResourceDefinitions = (): CustomResourceDefinition[] => toCustomResourceDefinitions(allKinds);
