// What every program needs of a Kubernetes kind, without a library. Schemas are in `./define`, validation in `./validation`,
// CEL in `./cel`: apart from here, so that a program that needs only types does not load them.

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
export { parseJson, stringifyJson } from './values/exact-json.ts';
export { compileGoRegExp } from './values/go-regexp.ts';
export { canonicalText, isRecord, type Json, type JsonObject } from './values/json.ts';
export { mergePatch } from './values/merge-patch.ts';
export {
  dnsLabelPattern,
  dnsSubdomainPattern,
  isDnsLabel,
  isDnsSubdomain,
  isLabelKey,
  isLabelValue,
  nameSyntax,
  qualifiedNamePattern,
} from './values/names.ts';
export { certificateBlocks, firstPemBlock } from './values/pem.ts';
export { printedForm } from './values/printed-form.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  subtractQuantities,
} from './values/quantity.ts';
