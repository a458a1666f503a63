import { canonicalText } from '@flotilla/rules/values';
import type { OwnerReference } from '@flotilla/schema';
import type { Call } from '../contracts/call.ts';
import type { AnyObject } from './prepare.ts';

/** Drops owners that are named twice, and says so: once for what the client sent, once for what admission made of it. */
export function withUniqueOwners(call: Pick<Call, 'warn'>, object: AnyObject, stage: 'sent' | 'admitted'): AnyObject {
  const owners = object.metadata?.ownerReferences;
  if (!Array.isArray(owners) || owners.length < 2) return object;
  const unique = new Map<string, OwnerReference>();
  const twice = new Set<string>();
  for (const owner of owners) {
    const text = canonicalText({ ...owner });
    if (unique.has(text)) twice.add(owner.uid);
    else unique.set(text, owner);
  }
  if (twice.size === 0) return object;
  const when = stage === 'sent' ? '' : ' after mutating admission happens';
  call.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...twice].join(', ')}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...unique.values()] } };
}
