import { GroupName, Label, LeaseName, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { type Clock, type KubeClient, keyOf, type ResourceHandle } from '@flotilla/kube';
import { setConditions } from '@flotilla/kube/conditions';
import { clusterRoleBindings, clusterRoles, leases, namespaces, roleBindings, roles } from '@flotilla/kube/kinds';
import { formatMicroTime } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import type { PolicySubject } from '../contract/index.ts';

const rbacApi = 'rbac.authorization.k8s.io';
const subject = (kind: 'User' | 'Group', name: string) => [{ apiGroup: rbacApi, kind, name }];
const roleRef = (kind: 'ClusterRole' | 'Role', name: string) => ({ apiGroup: rbacApi, kind, name });
const authenticated = subject('Group', 'system:authenticated');
const clusterApi = 'cluster.open-cluster-management.io';

/** The administrator of a test hub: opens the door to a bootstrap user, and accepts and denies clusters with the rights of OCM. */
export interface TestHub {
  allowBootstrap(user: string): Promise<void>;
  accept(clusterName: string): Promise<void>;
  deny(clusterName: string): Promise<void>;
  cluster(clusterName: string): Promise<ManagedCluster | undefined>;
}

/** Who the agents of a cluster are, where its driver does not say so. */
const clusterGroup = (cluster: string) => subject('Group', GroupName.Cluster.of({ cluster }));

/** An administrator who works by hand; no controller of the hub is needed. */
export const testHub = (
  client: KubeClient,
  clock: Clock,
  subjectsOf: (clusterName: string) => readonly PolicySubject[] = clusterGroup,
): TestHub => new Administrator(client, clock, subjectsOf);

class Administrator implements TestHub {
  readonly #client: KubeClient;
  readonly #clusters: ResourceHandle<ManagedCluster>;
  readonly #clock: Clock;
  readonly #subjectsOf: (clusterName: string) => readonly PolicySubject[];

  constructor(client: KubeClient, clock: Clock, subjectsOf: (clusterName: string) => readonly PolicySubject[]) {
    this.#client = client;
    this.#clusters = client.resource(managedClusters);
    this.#clock = clock;
    this.#subjectsOf = subjectsOf;
  }

  cluster(name: string): Promise<ManagedCluster | undefined> {
    return this.#clusters.find(name);
  }

  async allowBootstrap(user: string): Promise<void> {
    await this.#inNamespaceFor(
      'kube-public',
      'cluster-info',
      [['', 'configmaps', 'get', 'cluster-info']],
      authenticated,
    );
    await this.#grant(
      'bootstrap',
      [
        [clusterApi, 'managedclusters', 'create,get,list,watch,update'],
        ['certificates.k8s.io', 'certificatesigningrequests', 'create,get,list,watch'],
      ],
      subject('User', user),
    );
  }

  async accept(name: string): Promise<void> {
    const labels = { [Label.ClusterName]: name };
    if (!(await this.#client.resource(namespaces).find(name))) {
      await this.#client.resource(namespaces).create({ metadata: { name, labels } });
    }
    await this.#grant(
      `open-cluster-management:managedcluster:${name}`,
      [
        ['certificates.k8s.io', 'certificatesigningrequests', 'create,get,list,watch'],
        ['register.open-cluster-management.io', 'managedclusters/clientcertificates', 'renew'],
        [clusterApi, 'managedclusters', 'get,list,update,watch', name],
        [clusterApi, 'managedclusters/status', 'patch,update', name],
      ],
      this.#subjectsOf(name),
    );
    const inNamespace = [
      ['coordination.k8s.io', 'leases', 'get,list,watch,update'],
      ['addon.open-cluster-management.io', 'managedclusteraddons', 'get,list,watch'],
      ['addon.open-cluster-management.io', 'managedclusteraddons/status', 'patch,update'],
      ['events.k8s.io', 'events', 'create,patch'],
    ];
    await this.#inNamespaceFor(name, 'registration', inNamespace, this.#subjectsOf(name));
    await this.#createLease(name);
    await this.#setAccepted(name, true);
  }

  async deny(name: string): Promise<void> {
    await this.#grant(
      `open-cluster-management:managedcluster:${name}`,
      [[clusterApi, 'managedclusters', 'get,list,watch', name]],
      this.#subjectsOf(name),
    );
    await this.#client.resource(roleBindings).delete(`${name}/registration`);
    await this.#setAccepted(name, false);
  }

  async #createLease(name: string): Promise<void> {
    const labels = { [Label.ClusterName]: name };
    const lease = {
      metadata: { name: LeaseName.ManagedCluster, namespace: name, labels },
      spec: { holderIdentity: LeaseName.ManagedCluster, renewTime: formatMicroTime(this.#clock.now()) },
    };
    if (!(await this.#client.resource(leases).find(`${name}/${LeaseName.ManagedCluster}`))) {
      await this.#client.resource(leases).create(lease);
    }
  }

  /** Creates it or puts it in the place of what is there: much faster than applying it, and a test has one writer. */
  async #put<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<void> {
    const handle = this.#client.resource(type);
    const current = await handle.find(keyOf(object));
    if (current) await handle.replace({ ...object, metadata: current.metadata });
    else await handle.create(object);
  }

  async #grant(name: string, rules: object[], to: readonly PolicySubject[]): Promise<void> {
    await this.#put(clusterRoles, { metadata: { name }, rules: rules.map(rule) });
    await this.#put(clusterRoleBindings, {
      metadata: { name },
      roleRef: roleRef('ClusterRole', name),
      subjects: [...to],
    });
  }
  async #inNamespaceFor(namespace: string, name: string, rules: object[], to: readonly PolicySubject[]): Promise<void> {
    const metadata = { name, namespace };
    await this.#put(roles, { metadata, rules: rules.map(rule) });
    await this.#put(roleBindings, { metadata, roleRef: roleRef('Role', name), subjects: [...to] });
  }
  async #setAccepted(name: string, accepted: boolean): Promise<void> {
    await this.#clusters.patch(name, { type: 'merge', body: { spec: { hubAcceptsClient: accepted } } });
    const { status } = await this.#clusters.get(name);
    const condition = {
      type: 'HubAcceptedManagedCluster',
      status: accepted ? ('True' as const) : ('False' as const),
      reason: accepted ? 'HubClusterAdminAccepted' : 'HubClusterAdminDenied',
      message: 'by the test',
    };
    const conditions = setConditions(status?.conditions, [condition], this.#clock.now());
    await this.#clusters.status.patch(name, { type: 'merge', body: { status: { conditions } } });
  }
}

const rule = (line: object) => {
  const [group = '', resource = '', verbs = '', name]: string[] = Object.values(line);
  return {
    apiGroups: [group],
    resources: [resource],
    verbs: verbs.split(','),
    ...(name !== undefined && { resourceNames: [name] }),
  };
};
