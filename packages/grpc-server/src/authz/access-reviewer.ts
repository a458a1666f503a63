import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { reviewAccess } from '@flotilla/kube/kinds';
import type { Caller } from '../caller.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import type { ResourceAttributes } from './attributes.ts';

/** A denial is asked about again soon: the usual one is a cluster that is accepted a moment later. */
const allowedTtlMs = 10_000;
const deniedTtlMs = 1_000;

/** Asks the API server what callers may do, and remembers the answers for seconds. */
export class AccessReviewer {
  readonly #client: KubeClient;
  readonly #decisions: ExpiringCache<boolean>;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#decisions = new ExpiringCache(clock, (allowed) => (allowed ? allowedTtlMs : deniedTtlMs));
  }

  /** Throws `Forbidden` if the caller lacks the permission. */
  async require({ user, groups }: Caller, attributes: ResourceAttributes): Promise<void> {
    const key = JSON.stringify([attributes.namespace, user, groups, attributes]);
    const allowed = await this.#decisions.get(key, async () => {
      const caller = { username: user, groups };
      return (await reviewAccess(this.#client, caller, { resourceAttributes: { ...attributes } })).allowed;
    });
    if (allowed) return;
    const { verb, group, resource, subresource, namespace } = attributes;
    const what = `${resource}${group && `.${group}`}${subresource ? `/${subresource}` : ''}`;
    const message = `access denied: ${user} cannot ${verb} ${what} for cluster ${namespace}`;
    throw new KubeError('Forbidden', message, { status: 403 });
  }

  /** Forgets what was decided for a cluster. */
  forget(clusterName: string): void {
    const prefix = `[${JSON.stringify(clusterName)},`;
    this.#decisions.drop((key) => key.startsWith(prefix));
  }
}
