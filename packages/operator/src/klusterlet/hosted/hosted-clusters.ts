import { SecretName } from '@flotilla/api-types';
import {
  type AccessSource,
  type Clock,
  type ClusterAccess,
  createInformers,
  type KubeClient,
  type Logger,
  type ObjectKey,
  secretAccess,
} from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import { BehaviorSubject, type Observable, Subject } from 'rxjs';
import { type KlusterletCluster, managedKinds, watchCluster } from '../managed-cluster.ts';

type SecretData = NonNullable<Secret['data']>;

/** What managed clusters of hosted klusterlets are reached with. */
export interface HostedClustersInput {
  connect(access: AccessSource): KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A managed cluster, by the kubeconfig that its administrator gave. */
export interface HostedCluster extends KlusterletCluster {
  /** Throws if the kubeconfig cannot be read. */
  access(): Promise<ClusterAccess>;
}

interface Opened {
  readonly cluster: HostedCluster;
  readonly data: BehaviorSubject<SecretData>;
  /** Whether its caches were filled once. */
  isSynced(): boolean;
  close(): Promise<void>;
}

/** The managed clusters of hosted klusterlets, each with one connection and one set of watches for as long as it is needed. */
export class HostedClusters implements AsyncDisposable {
  readonly #input: HostedClustersInput;
  readonly #opened = new Map<string, Opened>();
  readonly #changes = new Subject<ObjectKey>();

  constructor(input: HostedClustersInput) {
    this.#input = input;
  }

  /** Names of klusterlets whose objects on their managed cluster have changed. */
  get changes(): Observable<ObjectKey> {
    return this.#changes;
  }

  /** The managed cluster of a klusterlet. A new kubeconfig in the Secret serves the next request. */
  of(klusterlet: string, { data = {} }: Secret): HostedCluster {
    const known = this.#opened.get(klusterlet);
    if (known?.isSynced() || (known && semanticEqual(known.data.value, data))) {
      if (!semanticEqual(known.data.value, data)) known.data.next(data);
      return known.cluster;
    }
    // What never worked waits long before it tries again; a new kubeconfig is tried at once.
    void known?.close();
    const opened = this.#open(klusterlet, data);
    this.#opened.set(klusterlet, opened);
    return opened.cluster;
  }

  /** Ends the connection to a managed cluster. */
  async release(klusterlet: string): Promise<void> {
    const opened = this.#opened.get(klusterlet);
    this.#opened.delete(klusterlet);
    await opened?.close();
  }

  #open(klusterlet: string, initial: SecretData): Opened {
    const { connect, clock, log } = this.#input;
    const data = new BehaviorSubject<SecretData>(initial);
    const origin = `Secret ${klusterlet}/${SecretName.ExternalManagedKubeconfig}`;
    const access = secretAccess({ data, origin, clock });
    const client = connect(access);
    const informers = createInformers({ client, clock, log });
    const cluster = watchCluster(client, informers, managedKinds);
    // Of the objects there, those of other klusterlets are of other operators.
    const changes = cluster.changes.subscribe((name) => {
      if (name === klusterlet || name === '') this.#changes.next(klusterlet);
    });
    let isSynced = false;
    const whenSynced: HostedCluster['whenSynced'] = async (options) => {
      await cluster.whenSynced(options);
      isSynced = true;
    };
    return {
      cluster: { ...cluster, whenSynced, access: () => access.current() },
      data,
      isSynced: () => isSynced,
      async close() {
        changes.unsubscribe();
        informers.close();
        await client.close();
        access.close();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#opened.keys()].map((klusterlet) => this.release(klusterlet)));
    this.#changes.complete();
  }
}
