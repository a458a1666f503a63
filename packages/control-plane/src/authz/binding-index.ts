import { keyOf, type ObjectKey, splitKey } from '@flotilla/kube';
import { type BindingObject, type RbacSubject, rbacGroup } from '../contracts/rbac-objects.ts';
import { serviceAccountUser } from '../contracts/service-account-name.ts';
import type { Storage } from '../contracts/storage.ts';
import type { UserInfo } from '../contracts/user-info.ts';

type BindingsBySubject = Map<string, Map<ObjectKey, BindingObject>>;

/** Bindings by subject, kept up to date with each write, so that a decision reads only the bindings of its user. */
export class BindingIndex {
  readonly #clusterWide: BindingsBySubject = new Map();
  readonly #byNamespace = new Map<string, BindingsBySubject>();
  readonly #unsubscribe: (() => void)[];

  constructor(storage: Storage) {
    this.#unsubscribe = ['clusterrolebindings', 'rolebindings'].map((plural) => {
      const resource = `${rbacGroup}/${plural}`;
      for (const object of storage.list(resource)) this.#add(keyOf(object), object as BindingObject);
      return storage.subscribe(resource, ({ type, key, object, previous }) => {
        if (previous) this.#remove(key, previous as BindingObject);
        if (type !== 'DELETED') this.#add(key, object as BindingObject);
      });
    });
  }

  /** Each binding that binds the user: cluster-wide ones first, then those of the namespace. One that binds twice comes twice. */
  of(user: UserInfo, namespace: string | undefined): readonly BindingObject[] {
    const found: BindingObject[] = [];
    collect(this.#clusterWide, user, found);
    const local = namespace ? this.#byNamespace.get(namespace) : undefined;
    if (local) collect(local, user, found);
    return found;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #add(key: ObjectKey, binding: BindingObject): void {
    const { namespace } = splitKey(key);
    let index = this.#clusterWide;
    if (namespace !== undefined) {
      index = this.#byNamespace.get(namespace) ?? new Map();
      this.#byNamespace.set(namespace, index);
    }
    for (const subject of binding.subjects ?? []) {
      const who = subjectKey(subject, namespace);
      if (who === undefined) continue;
      const bindings = index.get(who) ?? new Map();
      index.set(who, bindings.set(key, binding));
    }
  }

  #remove(key: ObjectKey, binding: BindingObject): void {
    const { namespace } = splitKey(key);
    const index = namespace === undefined ? this.#clusterWide : this.#byNamespace.get(namespace);
    for (const subject of binding.subjects ?? []) {
      const who = subjectKey(subject, namespace) ?? '';
      const bindings = index?.get(who);
      bindings?.delete(key);
      if (bindings?.size === 0) index?.delete(who);
    }
    if (namespace !== undefined && index?.size === 0) this.#byNamespace.delete(namespace);
  }
}

function collect(index: BindingsBySubject, { name, groups }: UserInfo, found: BindingObject[]): void {
  for (const binding of index.get(`User/${name}`)?.values() ?? []) found.push(binding);
  for (const group of groups) {
    for (const binding of index.get(`Group/${group}`)?.values() ?? []) found.push(binding);
  }
}

/** A service account is a user of a certain name; without a namespace it is one of the binding's. */
function subjectKey({ kind, name, namespace }: RbacSubject, bindingNamespace: string | undefined): string | undefined {
  if (kind !== 'ServiceAccount') return `${kind}/${name}`;
  const home = namespace || bindingNamespace;
  return home ? `User/${serviceAccountUser(home, name)}` : undefined;
}

/** The first of a binding's subjects that is this user: which is what a decision names as its reason. */
export function boundSubject(binding: BindingObject, user: UserInfo): RbacSubject | undefined {
  const keys = new Set([`User/${user.name}`, ...user.groups.map((group) => `Group/${group}`)]);
  return (binding.subjects ?? []).find((subject) => {
    const key = subjectKey(subject, binding.metadata?.namespace);
    return key !== undefined && keys.has(key);
  });
}
