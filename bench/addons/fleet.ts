import {
  addOnDeploymentConfigsV1alpha1,
  clusterManagementAddOns,
  Label,
  type ManagedClusterAddOn,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
  placementDecisions,
  placements,
} from '@flotilla/api-types';
import { clusterManagementAddOnVersions, managedClusterAddOnVersions } from '@flotilla/api-types/conversion';
import { createInformers, findCondition, type Informers, type KubeClient, keyOf, mapLimited } from '@flotilla/kube';
import { withOlderVersion } from '@flotilla/kube/discovery';
import { configMaps, namespaces, serviceAccounts } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { whenAll } from '../registration/when-all.ts';
import { type AddOnMaking, addOn, configKind, namespace } from './making.ts';

const atOnce = 32;
/** As the scheduler writes decisions. */
const pageSize = 100;

/** Clusters with an add-on on a hub with a real API server. */
export class AddonFleet implements Disposable {
  readonly #client: KubeClient;
  readonly #informers: Informers;
  readonly #clusters: readonly string[];

  readonly #making: AddOnMaking;

  constructor(client: KubeClient, count: number, making: AddOnMaking) {
    this.#making = making;
    this.#client = withOlderVersion(
      withOlderVersion(client, managedClusterAddOnVersions),
      clusterManagementAddOnVersions,
    );
    this.#informers = createInformers({ client: this.#client });
    this.#clusters = Array.from({ length: count }, (_, index) => `cluster-${String(index).padStart(4, '0')}`);
  }

  /** Clusters with their namespaces, a placement that selects all of them, and a configuration. */
  async create(): Promise<void> {
    const client = this.#client;
    await client.resource(namespaces).create({ metadata: { name: namespace } });
    await mapLimited(this.#clusters, atOnce, async (name) => {
      await client.resource(namespaces).create({ metadata: { name } });
      await client.resource(managedClusters).create({ metadata: { name }, spec: { hubAcceptsClient: true } });
    });
    await client.resource(placements).create({ metadata: { namespace, name: 'all' }, spec: {} });
    const labels = { [Label.Placement]: 'all', [Label.DecisionGroupIndex]: '0', [Label.DecisionGroupName]: '' };
    for (const [name] of this.#pages()) {
      await client.resource(placementDecisions).create({ metadata: { namespace, name, labels } });
    }
    const metadata = { namespace, name: 'config' };
    await client.resource(addOnDeploymentConfigsV1alpha1).create({ metadata, spec: specOf('first') });
    await this.#making.create(client);
    await this.#select(true);
    await this.#whenPopulated();
  }

  /** Until kube-controller-manager has put into each namespace what it puts into all: it would share the API server with what is measured. */
  async #whenPopulated(): Promise<void> {
    const populate = async (type: typeof configMaps | typeof serviceAccounts, name: string): Promise<void> => {
      using cache = this.#informers.resource<KubeObject>(type, { fieldSelector: `metadata.name=${name}` });
      const keys = this.#clusters.map((cluster) => `${cluster}/${name}`);
      await whenAll(cache, name, keys, (each) => each !== undefined);
    };
    await Promise.all([populate(configMaps, 'kube-root-ca.crt'), populate(serviceAccounts, 'default')]);
  }

  /** Offers the add-on to all clusters, and resolves when it is configured everywhere. */
  async enable(): Promise<void> {
    await this.#select(true);
    await this.#configured(async () => {
      await this.#offers.create({
        metadata: { name: addOn },
        spec: {
          defaultConfigs: [...this.#making.configs, { ...configKind, namespace, name: 'config' }],
          installStrategy: { type: 'Placements', placements: [{ namespace, name: 'all' }] },
        },
      });
    });
  }

  /** Changes the configuration, and resolves when it is applied everywhere. */
  async change(value: string): Promise<void> {
    const before = new Set(this.#addOns.list().map(hashOf));
    await this.#configured(async () => {
      const body = { spec: specOf(value) };
      await this.#client.resource(addOnDeploymentConfigsV1alpha1).patch(`${namespace}/config`, { type: 'merge', body });
    }, before);
  }

  /** Takes the add-on from all clusters, by decisions that select none, and resolves when it is gone. */
  async disable(): Promise<void> {
    const gone = whenAll(this.#addOns, 'removal', this.#keys, (each) => each === undefined);
    await this.#select(false);
    await gone;
  }

  /** Takes back the offer and all works: the garbage collector would share the API server with what is measured next. */
  async clear(): Promise<void> {
    await this.#offers.delete(addOn);
    const works = this.#client.resource(manifestWorks);
    const { items } = await works.list();
    await mapLimited(items, atOnce, (work) => works.delete(keyOf(work)));
  }

  get #addOns() {
    return this.#informers.resource(managedClusterAddOns);
  }

  get #offers() {
    return this.#informers.resource(clusterManagementAddOns);
  }

  get #keys(): string[] {
    return this.#clusters.map((cluster) => `${cluster}/${addOn}`);
  }

  #pages(): (readonly [string, readonly string[]])[] {
    const count = Math.ceil(this.#clusters.length / pageSize);
    return Array.from({ length: count }, (_, page) => [
      `all-decision-${page + 1}`,
      this.#clusters.slice(page * pageSize, (page + 1) * pageSize),
    ]);
  }

  async #select(all: boolean): Promise<void> {
    for (const [name, clusters] of this.#pages()) {
      const decisions = (all ? clusters : []).map((clusterName) => ({ clusterName, reason: '' }));
      const body = { status: { decisions } };
      await this.#client.resource(placementDecisions).status.patch(`${namespace}/${name}`, { type: 'merge', body });
    }
  }

  /** Until all clusters have applied a configuration that is none of these, and the add-on says that it is completed. */
  async #configured(begin: () => Promise<void>, before: ReadonlySet<string | undefined> = new Set()): Promise<void> {
    await this.#addOns.whenSynced();
    const applied = whenAll(this.#addOns, 'configuration', this.#keys, (each) => {
      const hash = each && hashOf(each);
      const progressing = findCondition(each?.status?.conditions, 'Progressing');
      return !!hash && !before.has(hash) && progressing?.reason === 'Completed';
    });
    await this.#offers.whenSynced();
    await begin();
    await applied;
    await whenAll(this.#offers, 'progression', [addOn], (offer) => {
      const [progression] = offer?.status?.installProgressions ?? [];
      return progression?.conditions?.[0]?.reason === 'Completed';
    });
  }

  [Symbol.dispose](): void {
    this.#informers.close();
  }
}

const specOf = (value: string) => ({ customizedVariables: [{ name: 'VALUE', value }] });

/** The hash of the configuration that is applied. */
const hashOf = ({ status }: ManagedClusterAddOn): string | undefined =>
  status?.configReferences?.find(({ resource }) => resource === configKind.resource)?.lastAppliedConfig?.specHash;
