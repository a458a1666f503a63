/** What to do about an error of the managed cluster, by its words. The first that fits is told. */
const table: readonly (readonly [pattern: RegExp, advice: (found: RegExpExecArray) => string])[] = [
  [
    /namespaces "([^"]+)" not found/,
    ([, name]) => `Put the Namespace ${name} into the work too: namespaces are applied before what is in them.`,
  ],
  [
    /(?:no matches for kind|doesn't have a resource type) "([^"]+)"|could not find the requested resource/,
    ([, kind]) =>
      `The cluster does not know ${kind ?? 'this kind'}. Put its CustomResourceDefinition into this or another work: what waits for it is applied as soon as it is there.`,
  ],
  [
    /not allowed to apply the resource/,
    () =>
      'Give the executor of the work (spec.executor) create, update, patch, get and delete for this resource on the managed cluster, or leave the executor out.',
  ],
  [
    /forbidden/i,
    () =>
      'The agent may not. Give it the right on the managed cluster: a ClusterRole with the label open-cluster-management.io/aggregate-to-work: "true".',
  ],
  [
    /conflict with "([^"]+)"|conflicts? with/i,
    ([, manager]) =>
      `${manager ?? 'Somebody else'} owns fields of the object. Leave these fields out of the manifest, ignore them (serverSideApply.ignoreFields), or take them over (serverSideApply.force).`,
  ],
  [
    /field is immutable|immutable/i,
    () =>
      'The field cannot be changed. Delete the object on the managed cluster, and it is made anew; or give it another name in the manifest.',
  ],
  [
    /admission webhook "([^"]+)" denied/,
    ([, name]) =>
      `A webhook of the managed cluster (${name}) refuses the object: change the manifest to what it wants.`,
  ],
  [
    /is invalid|unknown field|strict decoding|cannot unmarshal/i,
    () => 'The managed cluster does not take the object: mend the field that the message names, in the manifest.',
  ],
];

/** What to do about an error; undefined if nothing better is known than to read it. */
export function adviceFor(message: string): string | undefined {
  for (const [pattern, advice] of table) {
    const found = pattern.exec(message);
    if (found) return advice(found);
  }
  return undefined;
}

/** What agents say about the next try, at the end of a message. */
const promise = /[,;] (?:will try again in (?<delay>[0-9hms.µn]+)|tried again when (?<event>.+))$/;

/** When the agent tries again, as far as its message says. */
export function nextTryOf(message: string): string {
  const { delay, event } = promise.exec(message)?.groups ?? {};
  if (delay !== undefined) return `${delay} after the last try, or at once when something changes`;
  if (event !== undefined) return `when ${event}`;
  return 'by itself, with pauses that grow to some minutes; at once when the work changes';
}

/** A message without that. */
export const withoutPromise = (message: string): string => message.replace(promise, '');
