import { compareQuantities } from '@flotilla/schema';
import type { Field } from '../../field.ts';
import { dnsSubdomain } from '../../names.ts';

const volumeSources = [
  'hostPath',
  'nfs',
  'iscsi',
  'rbd',
  'cephfs',
  'fc',
  'csi',
  'local',
  'azureFile',
  'azureDisk',
  'cinder',
];
const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** A claim for a volume, and what of it may change: how much, once it is bound. */
export function validateClaim(claim: Field, old?: Field): void {
  const spec = claim.at('spec');
  validateClaimSpec(spec);
  if (!old) return;
  const isBound = old.at('status').at('phase').text === 'Bound';
  const fixed = ({ fields: { resources = {}, volumeName: _, volumeAttributesClassName: __, ...rest } }: Field) =>
    isBound ? rest : { ...rest, resources };
  if (!spec.with(fixed(spec)).equals(old.at('spec').with(fixed(old.at('spec'))))) {
    spec.forbidden(
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
    );
  }
}

export function validateClaimSpec(spec: Field): void {
  const modes = spec.at('accessModes');
  if (modes.list.length === 0) modes.required('at least 1 access mode is required');
  for (const mode of modes.items()) {
    if (!accessModes.includes(mode.text)) modes.notSupported(accessModes, mode.text);
  }
  const storage = spec.at('resources').at('requests').key('storage');
  // The path in the server's message leaves out `requests`.
  if (!storage.present) spec.at('resources').key('storage').required();
  else if (compareQuantities(String(storage.value), '0') <= 0) {
    spec.at('resources').key('storage').invalid('must be greater than zero', storage.value);
  }
  const storageClass = spec.at('storageClassName');
  if (storageClass.text !== '') storageClass.check(dnsSubdomain);
  const mode = spec.at('volumeMode');
  if (mode.text !== 'Filesystem' && mode.text !== 'Block') mode.notSupported(['Block', 'Filesystem']);
}

/** A volume that an administrator made. */
export function validateVolume(volume: Field): void {
  const spec = volume.at('spec');
  if (spec.at('accessModes').list.length === 0) spec.at('accessModes').required();
  for (const mode of spec.at('accessModes').items()) {
    if (!accessModes.includes(mode.text)) spec.at('accessModes').notSupported(accessModes, mode.text);
  }
  const capacity = spec.at('capacity');
  if (capacity.names.length === 0) capacity.required();
  if (capacity.names.join() !== 'storage') capacity.notSupported(['storage'], capacity.value ?? null);
  if (!volumeSources.some((name) => spec.at(name).present)) spec.required('must specify a volume type');
}
