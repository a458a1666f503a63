import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@flotilla/schema';
import { createValidationBudget } from '@flotilla/schema/validation';
import { validateClientConfig } from '../built-in/validation/webhooks.ts';
import type { Field } from '../field.ts';
import { dns1035Label, dnsSubdomain } from '../names.ts';
import { validateSchema } from './schema-rules.ts';
import { validateColumn, validateScalePaths, validateSelectableFields } from './version-rules.ts';

const approval = 'api-approved.kubernetes.io';
const proposal = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** The rules of a definition beyond its shape and metadata. */
export async function validateDefinition(definition: Field, old?: Field, user?: string): Promise<void> {
  const spec = definition.at('spec');
  validateGroup(spec.at('group'));
  const scope = spec.at('scope');
  scope.oneOf(['Cluster', 'Namespaced']);
  await validateVersions(spec, user);
  validateNames(spec.at('names'));
  validateConversion(spec.at('conversion'));
  if (old) {
    const before = old.at('spec');
    const established = old
      .at('status')
      .at('conditions')
      .items()
      .some((condition) => condition.at('type').text === 'Established' && condition.at('status').text === 'True');
    if (established) {
      scope.immutable(before.at('scope'));
      spec.at('names').at('kind').immutable(before.at('names').at('kind'));
    }
    spec.at('group').immutable(before.at('group'));
    spec.at('names').at('plural').immutable(before.at('names').at('plural'));
  }
  validateStoredVersions(definition);
  validateApproval(definition, old);
  const preserve = spec.at('preserveUnknownFields');
  if (preserve.flag && !old?.at('spec').at('preserveUnknownFields').flag) {
    preserve.invalid(
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
  }
}

function validateGroup(group: Field): void {
  if (group.text === '') group.required();
  else {
    const errors = dnsSubdomain(group.text);
    if (errors.length > 0) group.invalid(errors.join(','));
    else if (!group.text.includes('.')) group.invalid('should be a domain with at least one dot');
  }
}

/**
 * Per-version parts. What is the same in all versions is reported as if it were at the top level, where the server keeps it.
 */
async function validateVersions(spec: Field, owner?: string): Promise<void> {
  const options = { budget: createValidationBudget(), owner };
  const versions = spec.at('versions');
  const items = versions.items();
  const shared = (name: string): boolean =>
    items.length > 0 && items.every((version) => isDeepStrictEqual(version.at(name).value, items[0]?.at(name).value));
  for (const [at, version] of items.entries()) {
    const schema = version.at('schema').at('openAPIV3Schema');
    if (!schema.present) schema.required();
    const name = version.at('name');
    const errors = dns1035Label(name.text);
    if (errors.length > 0) name.invalid(errors.join(','), name.text);
    // The server keeps the name of the first version a second time.
    if (errors.length > 0 && at === 0 && name.text !== '') name.under('spec.version').invalid(errors.join(','));
    validateDeprecation(version);
    const first = at === 0;
    const place = (name: string, top: string): Field | undefined => {
      if (!shared(name)) return version.at(name);
      return first ? version.at(name).under(`spec.${top}`) : undefined;
    };
    const status = version.at('subresources').at('status').present;
    const schemaPlace = place('schema', 'validation');
    if (schemaPlace?.present) await validateSchema(schemaPlace.at('openAPIV3Schema'), status, options);
    const subresources = place('subresources', 'subresources');
    if (subresources) validateScalePaths(subresources);
    const columns = place('additionalPrinterColumns', 'additionalPrinterColumns');
    for (const column of columns?.items() ?? []) validateColumn(column);
    const selectable = place('selectableFields', 'selectableFields');
    if (selectable) validateSelectableFields(selectable, schema);
  }
  const names = items.map((version) => version.at('name').text);
  if (new Set(names).size < names.length)
    versions.invalid('must contain unique version names', shownVersions(versions));
  if (items.filter((version) => version.at('storage').flag).length !== 1) {
    versions.invalid('must have exactly one version marked as storage version', shownVersions(versions));
  }
}

/** Versions as the server shows them: by the names of its Go fields, without what it keeps at the top. */
const shownVersions = (versions: Field): Json =>
  versions.value === null || versions.value === undefined
    ? null
    : versions.items().map((version) => ({
        Name: version.at('name').text,
        Served: version.at('served').flag,
        Storage: version.at('storage').flag,
        Deprecated: version.at('deprecated').flag,
        DeprecationWarning: version.at('deprecationWarning').value ?? null,
        Schema: null,
        Subresources: null,
        AdditionalPrinterColumns: null,
        SelectableFields: null,
      }));

function validateDeprecation(version: Field): void {
  const warning = version.at('deprecationWarning');
  if (!warning.present) return;
  if (!version.at('deprecated').flag) warning.invalid('can only be set for deprecated versions');
  else if (warning.text === '') warning.invalid('must not be an empty string');
  else if (warning.text.length > 256) warning.invalid('must be <= 256 characters long');
}

function validateNames(names: Field): void {
  for (const name of ['plural', 'singular', 'kind', 'listKind'])
    if (names.at(name).text === '') names.at(name).required();
  for (const name of ['plural', 'singular']) {
    const field = names.at(name);
    const errors = field.text === '' ? [] : dns1035Label(field.text);
    if (errors.length > 0) field.invalid(errors.join(','));
  }
  for (const name of ['kind', 'listKind']) {
    const field = names.at(name);
    const errors = field.text === '' ? [] : dns1035Label(field.text.toLowerCase());
    if (errors.length > 0) field.invalid(`may have mixed case, but should otherwise match: ${errors.join(',')}`);
  }
  const { text: kind } = names.at('kind');
  for (const name of ['shortNames', 'categories']) {
    if (name === 'categories' && kind !== '' && kind === names.at('listKind').text) {
      names.at('listKind').invalid('kind and listKind may not be the same');
    }
    for (const item of names.at(name).items()) {
      const errors = dns1035Label(item.text);
      if (errors.length > 0) item.invalid(errors.join(','));
    }
  }
}

/** Fields of the webhook are reported where the server keeps them, one level higher. */
function validateConversion(conversion: Field): void {
  const strategy = conversion.at('strategy');
  strategy.oneOf(['None', 'Webhook']);
  const webhook = conversion.at('webhook');
  const client = webhook.at('clientConfig').under(`${conversion.path}.webhookClientConfig`);
  const versions = webhook.at('conversionReviewVersions').under(`${conversion.path}.conversionReviewVersions`);
  if (strategy.text === 'Webhook') {
    if (client.present) validateClientConfig(client);
    else client.required('required when strategy is set to Webhook');
    validateConversionReviewVersions(versions);
  } else {
    const why = 'should not be set when strategy is not set to Webhook';
    if (client.present) client.forbidden(why);
    if (versions.list.length > 0) versions.forbidden(why);
  }
}

function validateConversionReviewVersions(versions: Field): void {
  if (versions.list.length === 0) {
    versions.required();
    return;
  }
  const seen = new Set<string>();
  for (const version of versions.items()) {
    if (seen.has(version.text)) {
      version.invalid('duplicate version');
      continue;
    }
    seen.add(version.text);
    for (const error of dns1035Label(version.text)) version.invalid(error);
  }
  if (!seen.has('v1') && !seen.has('v1beta1')) versions.invalid('must include at least one of v1, v1beta1');
}

/** A version in which objects are stored cannot be removed. */
function validateStoredVersions(definition: Field): void {
  const stored = definition.at('status').at('storedVersions');
  if (stored.list.length === 0) {
    stored.invalid('must have at least one stored version', null);
    return;
  }
  const versions = definition.at('spec').at('versions').items();
  for (const version of versions) {
    const name = version.at('name').text;
    if (version.at('storage').flag && !stored.list.includes(name)) {
      stored.invalid(`must have the storage version ${name}`);
    }
  }
  const names = new Set(versions.map((version) => version.at('name').text));
  for (const item of stored.items()) {
    const { text: name } = item;
    if (names.has(name)) continue;
    item.invalid(
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
    );
  }
}

/** Groups of Kubernetes itself need an approval, or an annotation that they are unapproved. */
function validateApproval(definition: Field, old?: Field): void {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(definition.at('spec').at('group').text)) return;
  const stateOf = (field: Field): 'missing' | 'fine' | 'strange' => {
    const { text } = field;
    if (text === '') return 'missing';
    return text.startsWith('unapproved') || /^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(text) ? 'fine' : 'strange';
  };
  const annotation = definition.at('metadata').at('annotations').key(approval);
  const state = stateOf(annotation);
  if (old && stateOf(old.at('metadata').at('annotations').key(approval)) === state) return;
  const sentence = `protected groups must have approval annotation "${approval}"`;
  if (state === 'missing') annotation.required(`${sentence}, ${proposal}`);
  if (state === 'strange') {
    annotation.invalid(`${sentence} with either a URL or a reason starting with "unapproved", ${proposal}`);
  }
}
