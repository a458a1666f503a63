import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../field.ts';
import { validateLabelSelector } from '../../metadata.ts';
import { dnsSubdomain, qualifiedName } from '../../names.ts';
import { validateQuantity } from './resources.ts';

const parametersLimit = 256 * 1024;
const messageLimit = 1024;

export function validateStorageClass(storageClass: Field, old?: Field): void {
  if (old) {
    for (const name of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
      storageClass.at(name).immutable(old.at(name));
    }
    return;
  }
  validateProvisioner(storageClass.at('provisioner'));
  validateParameters(storageClass.at('parameters'));
  const reclaim = storageClass.at('reclaimPolicy');
  if (reclaim.text !== '') reclaim.oneOf(['Delete', 'Retain']);
  storageClass.at('volumeBindingMode').oneOf(['Immediate', 'WaitForFirstConsumer']);
}

function validateProvisioner(provisioner: Field): void {
  if (provisioner.text === '') provisioner.required();
  else for (const error of qualifiedName(provisioner.text.toLowerCase())) provisioner.invalid(error);
}

function validateParameters(parameters: Field): void {
  if (parameters.names.length > 512) parameters.tooLong(512);
  else {
    if ('' in parameters.fields) parameters.invalid('field can not be empty.', '');
    if (sizeOf(parameters) > parametersLimit) parameters.tooLong(parametersLimit);
  }
}

const sizeOf = (map: Field): number =>
  map.entries().reduce((sum, [key, { text }]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text), 0);

export function validateVolumeAttributesClass(attributesClass: Field, old?: Field): void {
  for (const name of ['driverName', 'parameters']) {
    if (old && !attributesClass.at(name).equals(old.at(name))) {
      attributesClass.at(name).forbidden(`updates to ${name} are forbidden.`);
    }
  }
  validateProvisioner(attributesClass.at('driverName'));
  const parameters = attributesClass.at('parameters');
  validateParameters(parameters);
  if (parameters.names.length === 0) parameters.required('must contain at least one key/value pair');
}

export function validateVolumeAttachment(attachment: Field, old?: Field): void {
  const spec = attachment.at('spec');
  validateDriverName(spec.at('attacher'));
  const source = spec.at('source');
  const volume = source.at('persistentVolumeName');
  const either = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (source.at('inlineVolumeSpec').present) {
    if (volume.present) source.forbidden(either);
  } else if (!volume.present) source.required(either);
  else if (volume.text === '') volume.required('must specify non empty persistentVolumeName');
  spec.at('nodeName').check(dnsSubdomain);
  const status = attachment.at('status');
  if (sizeOf(status.at('attachmentMetadata')) > parametersLimit) {
    status.at('attachmentMetadata').tooLong(parametersLimit);
  }
  for (const name of ['attachError', 'detachError']) {
    const message = status.at(name).at('message');
    if (Buffer.byteLength(message.text) > messageLimit) message.tooLong(parametersLimit);
  }
  if (volume.present) volume.check(dnsSubdomain);
  if (old && !spec.equals(old.at('spec'))) {
    // As the server shows it: by the names of its Go fields.
    spec.invalid('field is immutable', {
      Attacher: spec.at('attacher').text,
      Source: {
        PersistentVolumeName: volume.value ?? null,
        InlineVolumeSpec: source.at('inlineVolumeSpec').value ?? null,
      },
      NodeName: spec.at('nodeName').text,
    });
  }
}

const driverNameLimit = 63;

function validateDriverName(name: Field): void {
  if (name.text === '') name.required();
  if (name.text.length > driverNameLimit) name.tooLong(driverNameLimit);
  for (const error of dnsSubdomain(name.text.toLowerCase())) name.invalid(error);
}

export function validateCsiNode(node: Field, old?: Field): void {
  const drivers = node.at('spec').at('drivers');
  const seen = new Set<string>();
  for (const driver of drivers.items()) {
    validateDriverName(driver.at('name'));
    const nodeId = driver.at('nodeID');
    if (nodeId.text === '') nodeId.required();
    if (nodeId.text.length > 256) nodeId.invalid('must be 256 characters or less');
    driver.at('allocatable').at('count').notNegative();
    if (seen.has(driver.at('name').text)) driver.at('name').duplicate();
    seen.add(driver.at('name').text);
    validateTopologyKeys(driver);
  }
  for (const before of old?.at('spec').at('drivers').items() ?? []) {
    const now = drivers.items().find((driver) => driver.at('name').equals(before.at('name')));
    if (now && !isDeepStrictEqual(withoutAllocatable(now), withoutAllocatable(before))) {
      drivers.invalid('field is immutable', now.value);
    }
  }
}

/** How many volumes a driver takes may change; the rest is what the node reported when it registered. */
const withoutAllocatable = ({ fields: { allocatable: _, ...rest } }: Field) => rest;

function validateTopologyKeys(driver: Field): void {
  const seen = new Set<string>();
  for (const { text } of driver.at('topologyKeys').items()) {
    if (text === '') driver.required();
    if (seen.has(text)) driver.duplicate(text);
    seen.add(text);
    for (const error of qualifiedName(text)) driver.invalid(error, text);
  }
}

export function validateCsiDriver(driver: Field, old?: Field): void {
  const spec = driver.at('spec');
  spec.at('fsGroupPolicy').oneOf(['File', 'None', 'ReadWriteOnceWithFSType'], false);
  validateTokenRequests(spec.at('tokenRequests'));
  const modes = spec.at('volumeLifecycleModes');
  for (const mode of modes.items()) {
    if (mode.text !== 'Persistent' && mode.text !== 'Ephemeral') {
      modes.notSupported(['Persistent', 'Ephemeral'], mode.text);
    }
  }
  const period = spec.at('nodeAllocatableUpdatePeriodSeconds');
  if (period.present && period.number < 10) period.invalid('must be greater than or equal to 10 seconds');
  const inSecrets = spec.at('serviceAccountTokenInSecrets');
  if (inSecrets.present && spec.at('tokenRequests').list.length === 0) {
    inSecrets.invalid('serviceAccountTokenInSecrets is set but no tokenRequests are specified');
  }
  if (!old) return;
  // The server names the first of these as it was called once.
  spec.at('attachRequired').under('spec.attachedRequired').immutable(old.at('spec').at('attachRequired'));
  modes.immutable(old.at('spec').at('volumeLifecycleModes'));
}

function validateTokenRequests(requests: Field): void {
  const seen = new Set<string>();
  for (const request of requests.items()) {
    const audience = request.at('audience');
    if (seen.has(audience.text)) {
      audience.duplicate(audience.text);
      continue;
    }
    seen.add(audience.text);
    const seconds = request.at('expirationSeconds');
    if (!seconds.present) continue;
    if (seconds.number < 600) seconds.invalid('may not specify a duration less than 10 minutes');
    if (seconds.number > 2 ** 32) seconds.invalid('may not specify a duration larger than 2^32 seconds');
  }
}

export function validateCsiStorageCapacity(capacity: Field, old?: Field): void {
  if (old) {
    for (const name of ['nodeTopology', 'storageClassName']) capacity.at(name).immutable(old.at(name));
    return;
  }
  validateLabelSelector(capacity.at('nodeTopology'));
  capacity.at('storageClassName').check(dnsSubdomain);
  if (capacity.at('capacity').present) validateQuantity(capacity.at('capacity'));
}
