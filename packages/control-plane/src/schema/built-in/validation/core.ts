import { isIP } from 'node:net';
import { compareQuantities } from '@flotilla/schema';
import type { Field } from '../../field.ts';
import { configKey, dnsLabel, isPortNumber, portNumberSentence, qualifiedName } from '../../names.ts';
import { ipSentence } from './addresses.ts';
import { validateQuantity } from './resources.ts';

/** One mebibyte, so that an object fits into a store that takes small values only. */
const dataLimit = 1024 * 1024;
const frozen = 'field is immutable when `immutable` is set';

const bytesOf = (field: Field, encoded: boolean): number =>
  field
    .entries()
    .reduce((sum, [, { text }]) => sum + (encoded ? Buffer.from(text, 'base64').length : Buffer.byteLength(text)), 0);

function validateFrozen(object: Field, old: Field | undefined, ...fields: string[]): void {
  if (!old?.at('immutable').flag) return;
  if (!object.at('immutable').flag) object.at('immutable').forbidden(frozen);
  for (const name of fields) if (!object.at(name).equals(old.at(name))) object.at(name).forbidden(frozen);
}

export function validateConfigMap(configMap: Field, old?: Field): void {
  validateFrozen(configMap, old, 'data', 'binaryData');
  const data = configMap.at('data');
  const binary = configMap.at('binaryData');
  for (const [key, value] of data.entries()) {
    for (const message of configKey(key)) value.invalid(message, key);
    if (Object.hasOwn(binary.fields, key)) value.invalid('duplicate of key present in binaryData', key);
  }
  for (const [key, value] of binary.entries()) for (const message of configKey(key)) value.invalid(message, key);
  // The server names no field, since the object as a whole is too long.
  if (bytesOf(data, false) + bytesOf(binary, true) > dataLimit) configMap.under('[]').tooLong(dataLimit);
}

const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};
const accountName = 'kubernetes.io/service-account.name';

export function validateSecret(secret: Field, old?: Field): void {
  if (old) secret.at('type').immutable(old.at('type'));
  validateFrozen(secret, old, 'data');
  const data = secret.at('data');
  for (const [key, value] of data.entries()) for (const message of configKey(key)) value.invalid(message, key);
  if (bytesOf(data, true) > dataLimit) data.tooLong(dataLimit);
  const type = secret.at('type').text;
  const annotations = secret.at('metadata').at('annotations');
  if (type === 'kubernetes.io/service-account-token' && !annotations.fields[accountName]) {
    annotations.key(accountName).required();
  }
  if (type === 'kubernetes.io/basic-auth' && !('username' in data.fields) && !('password' in data.fields)) {
    for (const key of ['username', 'password']) data.key(key).required();
  }
  for (const key of requiredKeys[type] ?? []) {
    const value = data.key(key);
    if (!value.present) value.required();
    else if (key.startsWith('.docker')) validateJson(value);
  }
}

function validateJson(value: Field): void {
  try {
    JSON.parse(Buffer.from(value.text, 'base64').toString('utf8'));
  } catch (error) {
    value.invalid(error instanceof Error ? error.message : String(error), '<secret contents redacted>');
  }
}

export function validateNamespace(namespace: Field): void {
  const finalizers = namespace.at('spec').at('finalizers');
  for (const { text } of finalizers.items()) {
    for (const message of qualifiedName(text)) finalizers.invalid(message, text);
    if (!text.includes('/') && text !== 'kubernetes') {
      finalizers.invalid('name is neither a standard finalizer name nor is it fully qualified', text);
    }
  }
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateNode(node: Field, old?: Field): void {
  const seen = new Set<string>();
  // The server says metadata here, though the taints are in the spec.
  for (const taint of node.at('spec').at('taints').under('metadata.taints').items()) {
    const key = taint.at('key');
    key.check(qualifiedName);
    const effect = taint.at('effect');
    if (effect.text === '') effect.required();
    else if (!effects.includes(effect.text)) effect.notSupported(effects);
    const identity = `${key.text} ${effect.text}`;
    if (seen.has(identity)) {
      const shown = { Key: key.text, Value: taint.at('value').text, Effect: effect.text, TimeAdded: null };
      const message = `Duplicate value: ${JSON.stringify(shown)}: taints must be unique by key and effect pair`;
      taint.report('FieldValueDuplicate', message);
    }
    seen.add(identity);
  }
  for (const name of ['capacity', 'allocatable']) {
    for (const [, quantity] of node.at('status').at(name).entries()) validateQuantity(quantity);
  }
  if (!old) return;
  const provider = node.at('spec').at('providerID');
  if (old.at('spec').at('providerID').text !== '' && !provider.equals(old.at('spec').at('providerID'))) {
    node
      .at('spec')
      .forbidden(
        'node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)',
      );
  }
}

export function validateEndpoints(endpoints: Field): void {
  for (const subset of endpoints.at('subsets').items()) {
    if (subset.at('addresses').list.length === 0 && subset.at('notReadyAddresses').list.length === 0) {
      subset.required('must specify `addresses` or `notReadyAddresses`');
    }
    for (const address of ['addresses', 'notReadyAddresses'].flatMap((name) => subset.at(name).items())) {
      const ip = address.at('ip');
      if (isIP(ip.text) !== 0) continue;
      ip.invalid(ipSentence, ip.text);
      ip.invalid('must be a valid IP address', ip.text);
    }
    const ports = subset.at('ports').items();
    for (const port of ports) {
      const name = port.at('name');
      if (name.text === '' && ports.length > 1) name.required();
      else if (name.text !== '') name.check(dnsLabel);
      const number = port.at('port');
      if (!isPortNumber(number.number)) number.invalid(portNumberSentence, number.number);
      port.at('protocol').oneOf(['SCTP', 'TCP', 'UDP']);
    }
  }
}

const clusterWide = ['Node', 'Namespace', 'PersistentVolume', 'CustomResourceDefinition'];

/** Events of both groups; those of events.k8s.io, which are newer, must say more. */
export function validateEvent(event: Field): void {
  const namespace = event.at('metadata').at('namespace').text;
  const isNew = event.at('apiVersion').text === 'events.k8s.io/v1';
  const about = event.at(isNew ? 'regarding' : 'involvedObject');
  const involvedNamespace = event.at('involvedObject').at('namespace').with(about.at('namespace').text);
  const mayBeOutside = clusterWide.includes(about.at('kind').text) || namespace === 'default';
  if (involvedNamespace.text !== namespace && !(involvedNamespace.text === '' && mayBeOutside))
    involvedNamespace.invalid('does not match event.namespace');
  if (!isNew) return;
  if (!event.at('eventTime').present) event.at('eventTime').required();
  else {
    const controller = event.at('reportingController').with(event.at('reportingController').text);
    if (controller.text === '') controller.required();
    else controller.check(qualifiedName);
    for (const name of ['reportingInstance', 'action', 'reason']) {
      if (event.at(name).text === '') event.at(name).required();
      else if (event.at(name).text.length > 128) event.at(name).invalid('can have at most 128 characters');
    }
    if (event.at('note').text.length > 1024) event.at('note').invalid('can have at most 1024 characters');
  }
  const type = event.at('type');
  if (type.text !== 'Normal' && type.text !== 'Warning') {
    type.invalid(`has invalid value: ${type.text}`, type.text);
  }
}

export function validateLimitRange(range: Field): void {
  for (const limit of range.at('spec').at('limits').items()) {
    limit.at('type').check(qualifiedName);
    for (const [name, least] of limit.at('min').entries()) {
      const most = limit.at('max').fields[name];
      if (most !== undefined && compareQuantities(String(least.value), String(most)) > 0) {
        least.invalid(`min value ${least.value} is greater than max value ${most}`);
      }
    }
  }
}
