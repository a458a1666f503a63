import { wordsOf } from '../apply/failure.ts';
import type { Manifest } from '../manifest.ts';
import type { Presence } from '../status/manifest-status.ts';
import type { Located } from './locate.ts';
import type { ObjectRecord } from './memory.ts';
import type { Pass, PassDeps } from './pass.ts';

/** What a pass found out about an object, to be remembered. */
export type Findings = Partial<ObjectRecord> & { readonly presence?: Presence };

/** Reads the object, whatever was found out about its application. */
export async function look(
  { tracker, rules }: PassDeps,
  pass: Pass,
  located: Located,
  known: Partial<ObjectRecord>,
): Promise<Findings> {
  const { handle, target, config } = located;
  const { uid: _, resourceVersion: __, generation: ___, observation: ____, ...kept } = known;
  try {
    const object = await handle.find(target.key, { signal: pass.signal });
    if (!object) return { ...kept, presence: { kind: 'missing' } };
    const metadata = object.metadata ?? {};
    tracker.advance(pass.holder, target, metadata);
    return { ...kept, ...versionOf(object), observation: await rules.observe(object, config) };
  } catch (error) {
    return { ...kept, presence: { kind: 'unreadable', message: wordsOf(error) }, uid: known.uid };
  }
}

/** Which version of an object was looked at. */
export const versionOf = ({ metadata }: Manifest): Pick<ObjectRecord, 'uid' | 'resourceVersion' | 'generation'> => ({
  uid: metadata?.uid,
  resourceVersion: metadata?.resourceVersion,
  generation: metadata?.generation,
});
