import { type KubeClient, KubeError } from '@flotilla/kube';
import { reviewAccess } from '@flotilla/kube/kinds';
import type { ClusterBudgets } from '../budget/cluster-budgets.ts';
import type { Caller } from '../caller.ts';
import type { ResourceAttributes } from './attributes.ts';

/** Asks the API server what callers may do, and remembers the answers for seconds. Each cluster and each user pays for its own questions. */
export class AccessReviewer {
  readonly #client: KubeClient;
  readonly #budgets: ClusterBudgets;

  constructor(client: KubeClient, budgets: ClusterBudgets) {
    this.#client = client;
    this.#budgets = budgets;
  }

  /** Throws `Forbidden` if the caller lacks the permission. */
  async require(caller: Caller, attributes: ResourceAttributes): Promise<void> {
    const { user: username, groups } = caller;
    const { decisions, take } = this.#budgets.decisionsOf(caller, attributes.namespace);
    const allowed = await decisions.get(JSON.stringify([username, groups, attributes]), async () => {
      take();
      return (await reviewAccess(this.#client, { username, groups }, { resourceAttributes: { ...attributes } }))
        .allowed;
    });
    if (allowed) return;
    const { verb, group, resource, subresource, namespace } = attributes;
    const what = `${resource}${group && `.${group}`}${subresource ? `/${subresource}` : ''}`;
    const message = `access denied: ${username} cannot ${verb} ${what} for cluster ${namespace}`;
    throw new KubeError('Forbidden', message, { status: 403 });
  }

  /** Forgets what was decided for a cluster. */
  forget(clusterName: string): void {
    for (const decisions of this.#budgets.decisionsAbout(clusterName)) decisions.clear();
  }
}
