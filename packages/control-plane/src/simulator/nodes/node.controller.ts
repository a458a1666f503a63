import { after, type Controller, defineController, done, on, ownerReferenceTo, type Result } from '@flotilla/kube';
import { type Lease, leases, nodes as nodeType } from '@flotilla/kube/kinds';
import { formatMicroTime, semanticEqual } from '@flotilla/kube/meta';
import { from } from 'rxjs';
import { kubernetesVersion } from '../../schema/built-in.ts';
import type { SimulatorContext } from '../context.ts';
import { nodeObject, nodeStatus, type SimulatedNode } from './node.status.ts';

const leaseSeconds = 40;
const renewMs = 10_000;

/** Registers the simulated nodes, keeps them ready, and renews their leases as kubelets do. */
export function nodeController(context: SimulatorContext, simulated: readonly SimulatedNode[]): Controller {
  const { nodes, client, clock } = context;
  const byName = new Map(simulated.map((node, index) => [node.name, { node, index }]));
  return defineController({
    name: 'simulated-nodes',
    watches: [on(nodes), on(from(byName.keys()))],
    async reconcile(name): Promise<Result> {
      const known = byName.get(name);
      if (!known) return done;
      const node = nodes.get(name) ?? (await nodes.create(nodeObject(known.node)));
      const before = node.status ?? {};
      const status = nodeStatus(known.node, known.index, kubernetesVersion, before, clock.now());
      if (!semanticEqual(status, before)) await nodes.status.replace({ ...node, status });
      const handle = client.resource(leases);
      const lease: Lease = {
        metadata: { namespace: 'kube-node-lease', name, ownerReferences: [ownerReferenceTo(nodeType, node)] },
        spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(clock.now()) },
      };
      await handle.apply(lease, { fieldManager: 'kubelet', force: true, priority: 'critical' });
      return after(renewMs, 'the lease is renewed then');
    },
  });
}
