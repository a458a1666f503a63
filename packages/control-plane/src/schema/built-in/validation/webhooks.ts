import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { dnsSubdomain, isPortNumber, portNumberSentence, qualifiedName } from '../../names.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const harmless = ['None', 'NoneOnDryRun'];
const form = '; desired format: https://host[/path]';

export const validateMutatingWebhooks = (configuration: Field): void => validateWebhooks(configuration, true);
export const validateValidatingWebhooks = (configuration: Field): void => validateWebhooks(configuration, false);

function validateWebhooks(configuration: Field, mutating: boolean): void {
  const names = new Set<string>();
  for (const webhook of configuration.at('webhooks').items()) {
    validateWebhook(webhook, mutating);
    validateReviewVersions(webhook.at('admissionReviewVersions'));
    const name = webhook.at('name');
    if (names.has(name.text)) name.duplicate();
    if (name.text !== '') names.add(name.text);
  }
}

function validateWebhook(webhook: Field, mutating: boolean): void {
  validateFullName(webhook.at('name'));
  for (const rule of webhook.at('rules').items()) validateRule(rule);
  optionalEnum(webhook.at('failurePolicy'), ['Fail', 'Ignore']);
  optionalEnum(webhook.at('matchPolicy'), ['Equivalent', 'Exact']);
  const effects = webhook.at('sideEffects');
  if (!effects.present) effects.required(`must specify one of ${harmless.join(', ')}`);
  else if (!harmless.includes(effects.text)) effects.notSupported(harmless);
  const timeout = webhook.at('timeoutSeconds');
  if (timeout.present && (timeout.number < 1 || timeout.number > 30)) {
    timeout.invalid('the timeout value must be between 1 and 30 seconds');
  }
  validateLabelSelector(webhook.at('namespaceSelector'));
  validateLabelSelector(webhook.at('objectSelector'));
  if (mutating) optionalEnum(webhook.at('reinvocationPolicy'), ['IfNeeded', 'Never']);
  validateClientConfig(webhook.at('clientConfig'));
  const conditions = new Set<string>();
  for (const condition of webhook.at('matchConditions').items()) {
    if (condition.at('expression').text.trim() === '') condition.at('expression').required();
    const name = condition.at('name');
    if (name.text === '') name.required();
    else name.check(qualifiedName);
    if (conditions.has(name.text)) name.duplicate();
    conditions.add(name.text);
  }
}

function optionalEnum(field: Field, values: readonly string[]): void {
  if (field.present && !values.includes(field.text)) field.notSupported(values);
}

/** `hook.example.com`: at least three segments. */
function validateFullName(name: Field): void {
  if (name.text === '') name.required();
  else {
    const errors = dnsSubdomain(name.text);
    if (errors.length > 0) name.invalid(errors.join(','));
    else if (name.text.split('.').length < 3) {
      name.invalid('should be a domain with at least three segments separated by dots');
    }
  }
}

/** Which requests a webhook or a policy is about. */
export function validateRule(rule: Field): void {
  const given = rule.at('operations');
  if (given.list.length === 0) given.required();
  if (given.list.length > 1 && given.list.includes('*')) {
    given.invalid("if '*' is present, must not specify other operations");
  }
  for (const operation of given.items()) if (!operations.includes(operation.text)) operation.notSupported(operations);
  validateNames(rule.at('apiGroups'), 'API groups', true);
  validateNames(rule.at('apiVersions'), 'API versions', false);
  validateResourceNames(rule.at('resources'));
  optionalEnum(rule.at('scope'), ['*', 'Cluster', 'Namespaced']);
}

function validateNames(names: Field, what: string, mayBeEmpty: boolean): void {
  if (names.list.length === 0) names.required();
  if (names.list.length > 1 && names.list.includes('*')) {
    names.invalid(`if '*' is present, must not specify other ${what}`);
  }
  for (const name of names.items()) if (name.text === '' && !mayBeEmpty) name.required();
}

function validateResourceNames(resources: Field): void {
  const names = resources.items();
  if (names.length === 0) resources.required();
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  for (const name of names) {
    if (name.text === '') name.required();
    const [resource = '', ...rest] = name.text.split('/');
    if (rest.length === 0) continue;
    const subresource = rest.join('/');
    const covered = (by: string) => name.invalid(`if '${by}' is present, must not specify ${name.text}`);
    if (wholeResources.has(resource)) covered(`${resource}/*`);
    if (wholeSubresources.has(subresource)) covered(`*/${subresource}`);
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  }
  if (names.length > 1 && names.some(({ text }) => text === '*/*')) {
    resources.invalid("if '*/*' is present, must not specify other resources");
  }
  if (names.some(({ text }) => text === '*') && names.some(({ text }) => text !== '*' && !text.includes('/'))) {
    resources.invalid("if '*' is present, must not specify other resources without subresources");
  }
}

/** Where a webhook of any kind is reached: by a URL or as a service. */
export function validateClientConfig(config: Field): void {
  const url = config.at('url');
  const service = config.at('service');
  if (url.present === service.present) config.required('exactly one of url or service is required');
  else if (url.present) validateUrl(url);
  else {
    // The server mixes the two up in the order of its arguments; both are required all the same.
    for (const name of ['name', 'namespace']) if (service.at(name).text === '') service.at(name).required();
    const port = service.at('port');
    if (!isPortNumber(port.number)) port.invalid(`port is not valid: ${portNumberSentence}`, port.number);
    const path = service.at('path');
    if (path.text !== '' && path.text !== '/') validatePath(path);
  }
}

/** Each step of the path is a DNS name; one slash at the end is fine. */
function validatePath(path: Field): void {
  if (!path.text.startsWith('/')) path.invalid("must start with a '/'");
  const steps = path.text.slice(1).replace(/\/$/, '').split('/');
  for (const [at, step] of steps.entries()) {
    if (step === '') path.invalid(`segment[${at}] may not be empty`);
    else for (const error of dnsSubdomain(step)) path.invalid(`segment[${at}]: ${error}`);
  }
}

function validateUrl(url: Field): void {
  if (!URL.canParse(url.text)) {
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.text)?.[1] ?? '';
    if (scheme !== 'https') url.invalid(`'https' is the only allowed URL scheme${form}`, scheme);
    url.invalid(`host must be specified${form}`, '');
    return;
  }
  const { protocol, username, password, hash, search } = new URL(url.text);
  const scheme = protocol.slice(0, -1);
  if (scheme !== 'https') url.invalid(`'https' is the only allowed URL scheme${form}`, scheme);
  const userinfo = password === '' ? username : `${username}:${password}`;
  if (userinfo !== '') url.invalid('user information is not permitted in the URL', userinfo);
  if (hash !== '') url.invalid('fragments are not permitted in the URL', hash.slice(1));
  if (search !== '') url.invalid('query parameters are not permitted in the URL', search.slice(1));
}

function validateReviewVersions(versions: Field): void {
  if (versions.list.length === 0) {
    versions.required('must specify one of v1, v1beta1');
    return;
  }
  const seen = new Set<string>();
  for (const version of versions.items()) {
    if (seen.has(version.text)) version.invalid('duplicate version');
    seen.add(version.text);
  }
  if (!seen.has('v1') && !seen.has('v1beta1')) {
    versions.invalid('must include at least one of v1, v1beta1');
  }
}
