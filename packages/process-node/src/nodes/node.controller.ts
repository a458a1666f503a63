import {
  after,
  type CachedResource,
  type Controller,
  defineController,
  KubeError,
  on,
  ownerReferenceTo,
  type Result,
} from '@flotilla/kube';
import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import { type Lease, leases, type Node, nodes as nodeType } from '@flotilla/kube/kinds';
import { formatMicroTime, semanticEqual } from '@flotilla/kube/meta';
import { of } from 'rxjs';
import type { NodeContext } from '../contracts/node-context.ts';
import { type NodeFacts, nodeObject, nodeStatus } from './node.status.ts';

const leaseSeconds = 40;
const renewMs = 10_000;
/** The lease says that the node lives; its status is written when it changed, and this often. */
const heartbeatMs = 300_000;

/** Registers the Node, again if someone deletes it, keeps its status true and renews its lease. */
export function nodeController(
  { client, clock, name }: NodeContext,
  nodes: CachedResource<Node>,
  facts: () => NodeFacts,
  /** Called when the Node is there and ready, each time. */
  onRegistered: () => void,
): Controller {
  let reportedAt: MonotonicTime | undefined;
  return defineController({
    name: 'process-node-registration',
    watches: [on(nodes, ({ metadata }) => (metadata?.name === name ? name : undefined)), on(of(name))],
    async reconcile(): Promise<Result> {
      const node = nodes.get(name) ?? (await register(nodes, facts()));
      const isDue = reportedAt === undefined || msBetween(reportedAt, clock.monotonic()) >= heartbeatMs;
      const before = node.status ?? {};
      const status = nodeStatus(facts(), before, clock.now(), isDue);
      if (!semanticEqual(status, before)) {
        await nodes.status.patch(name, { type: 'merge', body: { status } });
        reportedAt = clock.monotonic();
      }
      const lease: Lease = {
        metadata: { namespace: 'kube-node-lease', name, ownerReferences: [ownerReferenceTo(nodeType, node)] },
        spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(clock.now()) },
      };
      await client.resource(leases).apply(lease, { fieldManager: 'kubelet', force: true, priority: 'critical' });
      onRegistered();
      return after(renewMs, 'the lease is renewed then');
    },
  });
}

/** The Node, whether it is new or another start made it. */
async function register(nodes: CachedResource<Node>, facts: NodeFacts): Promise<Node> {
  try {
    return await nodes.create(nodeObject(facts));
  } catch (error) {
    const found = KubeError.is(error, 'AlreadyExists') ? await nodes.find(facts.name) : undefined;
    if (!found) throw error;
    return found;
  }
}
