import { createHash } from 'node:crypto';
import { printedForm } from '@flotilla/schema';

/**
 * The hash that OCM's agent puts on objects applied with ignored fields: md5 over what Go prints for the object with `%v`.
 * With any other hash, taking over from OCM's agent would write every such object once more, over the changes it must keep.
 */
export function printedFormHash(object: unknown): string {
  return createHash('md5')
    .update(`&{${printedForm(object)}}`)
    .digest('hex');
}
