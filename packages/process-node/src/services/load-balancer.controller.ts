import { type CachedResource, type Controller, defineController, done, on, type Result } from '@flotilla/kube';
import type { EndpointSlice, Service } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { NodeAddresses } from '../addresses/node-addresses.ts';
import type { NodeContext } from '../contracts/node-context.ts';
import { Forward } from './forward.ts';
import { forwardedPorts, isBalanced, targetsOf } from './load-balancer.policy.ts';

export interface LoadBalancerOptions {
  readonly services: CachedResource<Service>;
  readonly slices: CachedResource<EndpointSlice>;
  readonly addresses: NodeAddresses;
}

const serviceLabel = 'kubernetes.io/service-name';

const serviceKeyOf = ({ metadata }: EndpointSlice): string =>
  `${metadata?.namespace}/${metadata?.labels?.[serviceLabel]}`;

/** Gives Services of the type LoadBalancer an address of this node and forwards its ports to their pods. */
export class LoadBalancers {
  readonly controller: Controller;
  readonly #node: NodeContext;
  readonly #options: LoadBalancerOptions;
  /** By Service, then by port. */
  readonly #forwards = new Map<string, Map<number, Forward>>();

  constructor(node: NodeContext, options: LoadBalancerOptions) {
    this.#node = node;
    this.#options = options;
    this.controller = defineController({
      name: 'process-node-load-balancers',
      watches: [on(options.services), on(options.slices, serviceKeyOf)],
      reconcile: (key) => this.#reconcile(key),
    });
  }

  async close(): Promise<void> {
    for (const key of [...this.#forwards.keys()]) await this.#release(key);
  }

  async #reconcile(key: string): Promise<Result> {
    const { services, addresses } = this.#options;
    const service = services.get(key);
    if (!service || !isBalanced(service)) {
      if (this.#forwards.has(key)) await this.#release(key);
      return done;
    }
    const given = service.status?.loadBalancer?.ingress?.[0];
    // Another node of this cluster was first; it forwards.
    if (given && !this.#forwards.has(key) && !addresses.isOwn(given.ip ?? '')) return done;
    const address = addresses.of(`service ${key}`);
    await this.#sync(key, service, address);
    const loadBalancer = { ingress: [{ ip: address, ipMode: 'VIP' }] };
    if (semanticEqual(service.status?.loadBalancer, loadBalancer)) return done;
    const body = { metadata: { resourceVersion: service.metadata?.resourceVersion }, status: { loadBalancer } };
    await services.status.patch(key, { type: 'merge', body }, { fieldManager: this.#node.name });
    return done;
  }

  /** Listens at the ports of the Service and at no others, and forwards to its ready endpoints. */
  async #sync(key: string, service: Service, address: string): Promise<void> {
    const open = this.#forwards.get(key) ?? new Map<number, Forward>();
    this.#forwards.set(key, open);
    const own = this.#options.slices.list().filter((slice) => serviceKeyOf(slice) === key);
    const ports = forwardedPorts(service);
    for (const port of ports) {
      const forward = open.get(port.port) ?? new Forward(this.#node.clock);
      if (!open.has(port.port)) await forward.listen(address, port.port);
      open.set(port.port, forward);
      forward.use(targetsOf(port, own));
    }
    for (const [number, forward] of open) {
      if (ports.some(({ port }) => port === number)) continue;
      open.delete(number);
      await forward.close();
    }
  }

  async #release(key: string): Promise<void> {
    const open = this.#forwards.get(key);
    this.#forwards.delete(key);
    await Promise.all([...(open?.values() ?? [])].map((forward) => forward.close()));
    this.#options.addresses.release(`service ${key}`);
  }
}
