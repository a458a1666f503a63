import type { Field } from '../../field.ts';
import { validateQuantity } from './resources.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** A claim for a volume, and what of it may change: how much, once it is bound. */
export function validateClaim(claim: Field, old?: Field): void {
  const spec = claim.at('spec');
  validateClaimSpec(spec);
  if (!old) return;
  const fixed = ({ fields: { resources: _, volumeName: __, volumeAttributesClassName: ___, ...rest } }: Field) => rest;
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
  // The server leaves out that it looks into the requests.
  if (!storage.present) spec.at('resources').key('storage').required();
  else validateQuantity(storage);
  const mode = spec.at('volumeMode');
  if (mode.text !== 'Filesystem' && mode.text !== 'Block') mode.notSupported(['Block', 'Filesystem']);
}
