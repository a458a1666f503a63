// What every program needs of a Kubernetes kind, without a library. Schemas are in `./define`, validation in `./validation`: apart from
// here, so that a program that needs only types does not load them.

export {
  addQuantities,
  canonicalQuantity,
  canonicalText,
  compareQuantities,
  dnsLabelPattern,
  dnsSubdomainPattern,
  isDnsLabel,
  isDnsSubdomain,
  isLabelKey,
  isLabelValue,
  isRecord,
  type Json,
  type JsonObject,
  nameSyntax,
  parseJson,
  parseQuantity,
  printedForm,
  qualifiedNamePattern,
  stringifyJson,
  subtractQuantities,
} from '@flotilla/rules/values';
export type {
  Condition,
  EmbeddedResource,
  KubeList,
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  ResourceType,
} from './kube-object.ts';
export { mergePatch } from './values/merge-patch.ts';
export { certificateBlocks, firstPemBlock } from './values/pem.ts';
