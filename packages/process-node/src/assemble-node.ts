import { type Controller, createEventRecorder, type EventRecorder, type Informers } from '@flotilla/kube';
import {
  endpointSlices,
  events as eventType,
  nodes as nodeType,
  pods as podType,
  services as serviceType,
} from '@flotilla/kube/kinds';
import type { NodeAddresses } from './addresses/node-addresses.ts';
import type { NodeContext } from './contracts/node-context.ts';
import { kubeletPort } from './kubelet/kubelet-server.ts';
import { nodeController } from './nodes/node.controller.ts';
import { type NodeFacts, nodeStatus } from './nodes/node.status.ts';
import type { ProcessNodeOptions } from './options.ts';
import { RunningPods } from './pods/pod.controller.ts';
import { kubeletBackoff } from './pods/restart.policy.ts';
import type { ProcessHost } from './processes/container-process.ts';
import { ReferencedObjects } from './references/referenced-objects.ts';
import { bindingController } from './scheduling/binding.controller.ts';
import { LoadBalancers } from './services/load-balancer.controller.ts';

/** What the controllers of a node are made of. */
export interface NodeParts {
  readonly options: ProcessNodeOptions;
  readonly node: NodeContext;
  readonly host: ProcessHost;
  readonly informers: Informers;
  readonly addresses: NodeAddresses;
}

/** The version of Kubernetes whose kubelet it follows. */
const kubeletVersion = 'v1.36.3';

/** The controllers of a node; `cleanup` ends what they hold. */
export function assembleNode(parts: NodeParts, cleanup: AsyncDisposableStack) {
  const { node, host, informers, addresses } = parts;
  const { name, clock } = node;
  const nodes = informers.resource(nodeType);
  const running = new RunningPods({
    node,
    pods: informers.resource(podType, { fieldSelector: `spec.nodeName=${name}` }),
    host,
    addresses,
    objects: new ReferencedObjects(informers),
    events: recorder(node, 'kubelet', cleanup),
    backoff: kubeletBackoff,
  });
  let isReady = true;
  const facts = (): NodeFacts => ({
    name,
    address: addresses.node,
    kubeletPort,
    capacity: node.capacity,
    version: kubeletVersion,
    isReady,
    ...(parts.options.labels && { labels: parts.options.labels }),
  });
  const registration = Promise.withResolvers<void>();
  const controllers = [
    nodeController(node, nodes, facts, registration.resolve),
    running.controller,
    ...optionalControllers(parts, cleanup),
  ];
  return {
    controllers,
    pods: running,
    registered: registration.promise,
    async reportNotReady() {
      isReady = false;
      const before = nodes.get(name)?.status ?? {};
      const status = nodeStatus(facts(), before, clock.now(), true);
      await nodes.status.patch(name, { type: 'merge', body: { status } });
    },
  };
}

/** What other programs of a cluster may do instead. */
function optionalControllers(parts: NodeParts, cleanup: AsyncDisposableStack): Controller[] {
  const { options, node, informers, addresses } = parts;
  const controllers: Controller[] = [];
  if (options.loadBalancers ?? true) {
    const [services, slices] = [informers.resource(serviceType), informers.resource(endpointSlices)];
    const balancers = new LoadBalancers(node, { services, slices, addresses });
    cleanup.defer(() => balancers.close());
    controllers.push(balancers.controller);
  }
  if (options.schedule ?? true) {
    const unbound = informers.resource(podType, { fieldSelector: 'spec.nodeName=' });
    const events = recorder(node, 'default-scheduler', cleanup);
    controllers.push(bindingController(node, { unbound, nodes: informers.resource(nodeType), events }));
  }
  return controllers;
}

function recorder(
  { client, name, clock, log }: NodeContext,
  reportingController: string,
  cleanup: AsyncDisposableStack,
): EventRecorder {
  const handle = client.resource(eventType);
  const events = createEventRecorder({ events: handle, reportingController, reportingInstance: name, clock, log });
  cleanup.defer(() => events.close());
  return events;
}
