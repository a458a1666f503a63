import type { Field, TextCheck } from './field.ts';
import { dnsLabel, labelValue, qualifiedName } from './names.ts';

const annotationsLimit = 256 * 1024;

/** What differs between kinds in the rules of metadata. */
export interface MetadataRules {
  readonly namespaced: boolean;
  readonly name: TextCheck;
  /** Most built-in kinds want finalizers with a domain, but for those of Kubernetes itself. */
  readonly qualifiedFinalizers?: boolean;
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** A prefix may end in a dash, since letters come after it. */
const asPrefix = (text: string): string => (text.endsWith('-') && text.length > 1 ? `${text.slice(0, -2)}a` : text);

/** The rules of metadata for a new object, or for the metadata of a template inside one. */
export function validateMetadata(metadata: Field, rules: MetadataRules): void {
  const generateName = metadata.at('generateName');
  if (generateName.text !== '') {
    for (const error of rules.name(asPrefix(generateName.text))) generateName.invalid(error);
  }
  const name = metadata.at('name');
  if (name.text === '') name.required('name or generateName is required');
  else name.check(rules.name);
  const namespace = metadata.at('namespace');
  if (rules.namespaced) {
    if (namespace.text === '') namespace.required();
    else namespace.check(dnsLabel);
  } else if (namespace.text !== '') namespace.forbidden('not allowed on this type');
  metadata.at('generation').notNegative();
  validateLabels(metadata.at('labels'));
  validateAnnotations(metadata.at('annotations'));
  validateOwners(metadata.at('ownerReferences'));
  validateFinalizers(metadata.at('finalizers'));
  if (rules.qualifiedFinalizers) requireDomains(metadata.at('finalizers'));
  validateManagers(metadata.at('managedFields'));
}

/** The rules of metadata for an update; what may not change was carried over before. */
export function validateMetadataUpdate(metadata: Field): void {
  validateLabels(metadata.at('labels'));
  validateAnnotations(metadata.at('annotations'));
  validateOwners(metadata.at('ownerReferences'));
  validateManagers(metadata.at('managedFields'));
}

export function validateLabels(labels: Field): void {
  for (const [key, value] of labels.entries()) {
    for (const error of qualifiedName(key)) labels.invalid(error, key);
    for (const error of labelValue(value.text)) labels.invalid(error, value.text);
  }
}

export function validateAnnotations(annotations: Field): void {
  let size = 0;
  for (const [key, value] of annotations.entries()) {
    for (const error of qualifiedName(key.toLowerCase())) annotations.invalid(error, key);
    size += Buffer.byteLength(key) + Buffer.byteLength(value.text);
  }
  if (size > annotationsLimit) annotations.tooLong(annotationsLimit);
}

function validateOwners(owners: Field): void {
  let controller = '';
  for (const owner of owners.items()) {
    const apiVersion = owner.at('apiVersion').text;
    const kind = owner.at('kind').text;
    const parts = apiVersion.split('/');
    const version = parts.length > 2 ? '' : (parts.at(-1) ?? '');
    if (version === '') owners.at('apiVersion').invalid('version must not be empty', apiVersion);
    for (const name of ['kind', 'name', 'uid']) {
      if (owner.at(name).text === '') owners.at(name).invalid('must not be empty', '');
    }
    if (apiVersion === 'v1' && kind === 'Event') {
      owners.invalid('/v1, Kind=Event is disallowed from being an owner', owner.value);
    }
    if (!owner.at('controller').flag) continue;
    const named = `${kind}/${owner.at('name').text}`;
    if (controller === '') controller = named;
    else {
      owners.invalid(
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${named}`,
      );
    }
  }
}

function validateFinalizers(finalizers: Field): void {
  const names = finalizers.items().map(({ text }) => text);
  for (const name of names) for (const error of qualifiedName(name)) finalizers.invalid(error, name);
  if (names.includes('orphan') && names.includes('foregroundDeletion')) {
    finalizers.invalid('finalizer orphan and foregroundDeletion cannot be both set');
  }
}

function requireDomains(finalizers: Field): void {
  for (const finalizer of finalizers.items()) {
    if (finalizer.text.includes('/') || standardFinalizers.includes(finalizer.text)) continue;
    finalizer.invalid('name is neither a standard finalizer name nor is it fully qualified');
  }
}

function validateManagers(managers: Field): void {
  for (const manager of managers.items()) {
    const operation = manager.at('operation');
    if (operation.text !== 'Apply' && operation.text !== 'Update') {
      operation.invalid('must be `Apply` or `Update`', operation.text);
    }
    const type = manager.at('fieldsType');
    if (type.text !== '' && type.text !== 'FieldsV1') type.invalid('must be `FieldsV1`');
    if (manager.at('manager').text.length > 128) manager.at('manager').tooLong(128);
    if (manager.at('subresource').text.length > 256) manager.at('subresource').tooLong(256);
  }
}

/** `matchLabels` and `matchExpressions`. */
export function validateLabelSelector(selector: Field): void {
  validateLabels(selector.at('matchLabels'));
  for (const requirement of selector.at('matchExpressions').items()) {
    const operator = requirement.at('operator');
    const values = requirement.at('values');
    if (operator.text === 'In' || operator.text === 'NotIn') {
      if (values.list.length === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'");
    } else if (operator.text === 'Exists' || operator.text === 'DoesNotExist') {
      if (values.list.length > 0) {
        values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
    } else operator.invalid('not a valid selector operator', operator.text);
    requirement.at('key').check(qualifiedName);
    for (const value of values.items()) value.check(labelValue);
  }
}
