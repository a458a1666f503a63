/** What to do about an error of the managed cluster, by its words. The first that fits is printed. */
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
    /ManifestWork "([^"]+)" applies the same object with other content/,
    ([, work]) =>
      `Two works want different content of this object, and the later order stands. Remove the manifest from one of them (this work or ${work}), make both manifests equal, or give the object another name in one of them.`,
  ],
  [
    /is changed by (.+) each time it is applied/,
    ([, writers]) =>
      `Another writer (${writers}) changes what the work applies. Stop it, leave the fields it sets out of the manifest, or apply with ServerSideApply and ignoreFields.`,
  ],
  [
    /is deleted each time it is applied/,
    () =>
      'Another program deletes what the work applies, such as a GitOps tool that prunes what is not in its repository. Exclude the object there, or remove the manifest from the work.',
  ],
  [
    /forbidden/i,
    () =>
      'The agent lacks the permission. Grant it on the managed cluster: a ClusterRole with the label open-cluster-management.io/aggregate-to-work: "true".',
  ],
  [
    /conflict with "([^"]+)"|conflicts? with/i,
    ([, manager]) =>
      `${manager ?? 'Another field manager'} owns fields of the object. Leave these fields out of the manifest, ignore them (serverSideApply.ignoreFields), or take them over (serverSideApply.force).`,
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
    () => 'The managed cluster does not take the object: fix the field that the message names in the manifest.',
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
