import { type CachedResource, type Informers, joinKey, type StoreChange } from '@flotilla/kube';
import {
  type ClusterRoleBinding,
  clusterRoleBindings,
  clusterRoles,
  type RoleBinding,
  roleBindings,
  roles,
} from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { Subject, Subscription } from 'rxjs';

type Binding = RoleBinding | ClusterRoleBinding;

/** Whom a binding gives rights to. */
export interface BoundSubject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Watches all kinds that grant rights. */
export interface RbacWatch {
  /** Whether changes would be seen at once: the watches run. */
  readonly isCurrent: boolean;
  /** Those whose rights may have changed. */
  readonly changes: Subject<readonly BoundSubject[]>;
  /** Resolves when all is known for the first time. */
  whenCurrent(signal: AbortSignal): Promise<void>;
  close(): void;
}

const byRole = 'role';
/** Longer than any server needs; a watch that is not allowed is never filled. */
const syncTimeoutMs = Number.POSITIVE_INFINITY;

/** Of roles only their metadata is held, and of bindings only who gets which role. */
export function watchRbac(informers: Informers): RbacWatch {
  const bindings = [
    informers.resource(roleBindings, { transform: keepSubjects, indexes: { [byRole]: roleOf } }),
    informers.resource(clusterRoleBindings, { transform: keepSubjects, indexes: { [byRole]: roleOf } }),
  ] as const;
  const namespacedRoles = informers.metadata(roles);
  const allRoles = informers.metadata(clusterRoles);
  const all: readonly Pick<CachedResource<KubeObject>, 'synced' | 'lastError' | 'whenSynced' | 'close'>[] = [
    ...bindings,
    namespacedRoles,
    allRoles,
  ];
  const changes = new Subject<readonly BoundSubject[]>();
  const running = new Subscription();

  const bound = (role: string): BoundSubject[] =>
    bindings.flatMap((cache) => [...cache.byIndex(byRole, role)].flatMap(subjectsOf));
  const ofBinding = ({
    object,
    previous,
    initial,
  }: StoreChange<RoleBinding> | StoreChange<ClusterRoleBinding>): void => {
    if (!initial) changes.next([...subjectsOf(object), ...(previous ? subjectsOf(previous) : [])]);
  };
  running.add(bindings[0].changes.subscribe(ofBinding));
  running.add(bindings[1].changes.subscribe(ofBinding));
  running.add(
    namespacedRoles.changes.subscribe(({ key, initial }) => {
      if (!initial) changes.next(bound(`Role ${key}`));
    }),
  );
  running.add(
    allRoles.changes.subscribe(({ key, initial }) => {
      if (!initial) changes.next(bound(`ClusterRole ${key}`));
    }),
  );

  return {
    get isCurrent() {
      return all.every(({ synced, lastError }) => synced && lastError === undefined);
    },
    changes,
    async whenCurrent(signal) {
      await Promise.all(all.map((cache) => cache.whenSynced({ signal, timeoutMs: syncTimeoutMs })));
    },
    close() {
      running.unsubscribe();
      changes.complete();
      for (const cache of all) cache.close();
    },
  };
}

/** A service account without a namespace is one of the namespace of its binding. */
const subjectsOf = ({ metadata, subjects = [] }: Binding): BoundSubject[] =>
  subjects.map(({ kind, name, namespace = metadata?.namespace }) => ({
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
  }));

/** Names the role of a binding as changes of roles are named. */
const roleOf = ({ metadata, roleRef: { kind, name } }: Binding): readonly string[] => [
  kind === 'ClusterRole' ? `ClusterRole ${name}` : `Role ${joinKey(metadata?.namespace ?? '', name)}`,
];

function keepSubjects<T extends Binding>(binding: T): T {
  const { name, namespace, uid, resourceVersion } = binding.metadata ?? {};
  return { ...binding, metadata: { name, namespace, uid, resourceVersion } };
}
