/** Values of Kubernetes, as schemas and expressions know them: JSON, names, formats and quantities. */

export { parseJson, stringifyJson } from './exact-json.ts';
export { formatError, isEnforced } from './formats.ts';
export { canonicalText, deepEqual, isRecord, type Json, type JsonObject, toWire } from './json.ts';
export {
  dnsLabelError,
  dnsLabelPattern,
  dnsSubdomainError,
  dnsSubdomainPattern,
  isDnsLabel,
  isDnsSubdomain,
  isLabelKey,
  isLabelValue,
  kindError,
  labelValueError,
  nameSyntax,
  pathSegmentError,
  qualifiedNameError,
  qualifiedNamePattern,
  withoutTrailingDash,
} from './names.ts';
export { printedForm } from './printed-form.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
  subtractQuantities,
} from './quantity.ts';
