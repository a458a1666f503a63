import type { Field } from '../../field.ts';
import { dnsLabel, dnsSubdomain } from '../../names.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const highestPrecedence = 10_000;

export function validateFlowSchema(schema: Field): void {
  const spec = schema.at('spec');
  const name = schema.at('metadata').at('name').text;
  const precedence = spec.at('matchingPrecedence');
  if (precedence.number <= 0) precedence.invalid('must be a positive value');
  if (precedence.number > highestPrecedence) precedence.invalid(`must not be greater than ${highestPrecedence}`);
  if (precedence.number === 1 && name !== 'exempt') {
    precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1");
  }
  const distinguisher = spec.at('distinguisherMethod');
  const method = distinguisher.at('type').text;
  if (distinguisher.present && method !== 'ByNamespace' && method !== 'ByUser') {
    distinguisher.at('type').notSupported(['ByNamespace', 'ByUser'], { Type: method });
  }
  const level = spec.at('priorityLevelConfiguration').at('name');
  if (level.text === '') level.required('must reference a priority level');
  else level.check(dnsSubdomain);
  for (const rule of spec.at('rules').items()) validateRule(rule);
  validateConditions(schema.at('status'));
}

function validateRule(rule: Field): void {
  const subjects = rule.at('subjects');
  if (subjects.list.length === 0) subjects.required('subjects must contain at least one value');
  for (const subject of subjects.items()) validateSubject(subject);
  const resourceRules = rule.at('resourceRules');
  const pathRules = rule.at('nonResourceRules');
  if (resourceRules.list.length === 0 && pathRules.list.length === 0) {
    rule.required('at least one of resourceRules and nonResourceRules has to be non-empty');
  }
  for (const one of resourceRules.items()) {
    validateVerbs(one.at('verbs'));
    validateWildcard(one.at('apiGroups'), 'resource rules must supply at least one api group', 'api groups');
    validateWildcard(one.at('resources'), 'resource rules must supply at least one resource', 'resources');
    validateNamespaces(one);
  }
  for (const one of pathRules.items()) {
    validateVerbs(one.at('verbs'));
    const urls = one.at('nonResourceURLs');
    const missing = 'nonResourceURLs must contain at least one value';
    if (!validateWildcard(urls, missing, 'non-resource URLs')) for (const url of urls.items()) validatePath(url);
  }
}

const subjectFields = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;
const subjectKinds = Object.entries(subjectFields);

function validateSubject(subject: Field): void {
  const kind = subject.at('kind');
  const own = subjectKinds.find(([known]) => known === kind.text)?.[1];
  if (!own) {
    kind.notSupported(['Group', 'ServiceAccount', 'User'], kind.text);
    return;
  }
  const named = subject.at(own);
  if (!named.present) named.required(`${own} is required when subject kind is '${kind.text}'`);
  else {
    const name = named.at('name');
    if (name.text === '') name.required();
    else if (own === 'serviceAccount' && name.text !== '*') name.check(dnsSubdomain);
    if (own === 'serviceAccount') {
      const namespace = named.at('namespace');
      if (namespace.text === '') namespace.required('must specify namespace for service account');
      else namespace.check(dnsLabel);
    }
  }
  for (const [other, field] of subjectKinds) {
    if (other !== kind.text && subject.at(field).present) {
      subject.at(field).forbidden(`${field} is forbidden when subject kind is not '${other}'`);
    }
  }
}

/** True if the list is `*` or wrong, so that its items need no validation. */
function validateWildcard(list: Field, missing: string, what: string): boolean {
  if (list.list.length === 0) list.required(missing);
  else if (!list.list.includes('*')) return false;
  else if (list.list.length > 1) list.invalid(`if '*' is present, must not specify other ${what}`);
  return true;
}

function validateVerbs(given: Field): void {
  if (validateWildcard(given, 'verbs must contain at least one value', 'verbs')) return;
  if (!given.items().every(({ text }) => verbs.includes(text))) given.notSupported(verbs, given.value);
}

function validateNamespaces(rule: Field): void {
  const namespaces = rule.at('namespaces');
  if (namespaces.list.length === 0 && rule.at('clusterScope').flag) return;
  const missing = 'resource rules that are not cluster scoped must supply at least one namespace';
  if (validateWildcard(namespaces, missing, 'namespaces')) return;
  for (const namespace of namespaces.items()) {
    for (const error of dnsLabel(namespace.text)) {
      namespace.invalid(`each member of this list must be '*' or a DNS-1123 label; ${error}`);
    }
  }
}

function validatePath(url: Field): void {
  const path = url.text;
  if (path === '') url.invalid('must not be empty');
  else if (path === '/') return;
  else if (!path.startsWith('/')) url.invalid('must start with slash');
  else if (path.includes(' ')) url.invalid('must not contain white-space');
  else if (path.includes('//')) url.invalid('must not contain double slash');
  else if (path.slice(0, -1).includes('*') || (path.endsWith('*') && !path.endsWith('/*'))) {
    url.invalid('wildcard can only do suffix matching');
  }
}

function validateConditions(status: Field): void {
  const seen = new Set<string>();
  for (const condition of status.at('conditions').items()) {
    const type = condition.at('type');
    if (seen.has(type.text)) type.duplicate();
    seen.add(type.text);
    if (type.text === '') type.required();
  }
}

export function validatePriorityLevel(level: Field): void {
  const spec = level.at('spec');
  const type = spec.at('type');
  const limited = spec.at('limited');
  const exempt = spec.at('exempt');
  if ((level.at('metadata').at('name').text === 'exempt') !== (type.text === 'Exempt')) {
    type.invalid("must be 'Exempt' if and only if `name` is 'exempt'", type.text);
  }
  if (type.text === 'Exempt') {
    if (limited.present) limited.forbidden('must be nil if the type is not Limited');
    validateShares(exempt);
  } else if (type.text === 'Limited') {
    if (exempt.present) exempt.forbidden('must be nil if the type is Limited');
    if (!limited.present) limited.required('must not be empty when type is Limited');
    else validateLimited(limited);
  } else if (type.text === '') type.required();
  else type.notSupported(['Exempt', 'Limited']);
  validateConditions(level.at('status'));
}

function validateShares(level: Field): void {
  const shares = level.at('nominalConcurrencyShares');
  if (shares.number < 0) shares.invalid('must be a non-negative integer');
  const lendable = level.at('lendablePercent');
  if (lendable.number < 0 || lendable.number > 100) lendable.invalid('must be between 0 and 100, inclusive');
}

function validateLimited(limited: Field): void {
  const shares = limited.at('nominalConcurrencyShares');
  if (shares.number < 0) shares.invalid('must be a non-negative integer');
  const response = limited.at('limitResponse');
  const queuing = response.at('queuing');
  const type = response.at('type');
  if (type.text === 'Reject') {
    if (queuing.present) queuing.forbidden('must be nil if limited.limitResponse.type is not Limited');
  } else if (type.text === 'Queue') {
    if (!queuing.present) queuing.required('must not be empty if limited.limitResponse.type is Limited');
    else validateQueuing(queuing);
  } else if (type.text === '') type.required();
  else type.notSupported(['Queue', 'Reject']);
  const lendable = limited.at('lendablePercent');
  if (lendable.number < 0 || lendable.number > 100) lendable.invalid('must be between 0 and 100, inclusive');
  const borrowing = limited.at('borrowingLimitPercent');
  if (borrowing.number < 0) borrowing.invalid('if specified, must be a non-negative integer');
}

const maxQueues = 10_000_000;

function validateQueuing(queuing: Field): void {
  const length = queuing.at('queueLengthLimit');
  if (length.number <= 0) length.invalid('must be positive');
  const queues = queuing.at('queues');
  if (queues.number <= 0) queues.invalid('must be positive');
  else if (queues.number > maxQueues) queues.invalid(`must not be greater than ${maxQueues}`);
  const hand = queuing.at('handSize');
  if (hand.number <= 0) hand.invalid('must be positive');
  else if (hand.number > queues.number) hand.invalid(`should not be greater than queues (${queues.number})`);
}
