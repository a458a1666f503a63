import { Label, manifestWorks } from '@flotilla/api-types';
import { certificateSigningRequests } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { serverKinds, startServer } from '../registration/servers.ts';
import { configMap } from '../work/manifests.ts';
import { workCondition } from '../work/work-world.ts';
import { startGrpcFleet } from './grpc-fleet.ts';

const name = 'rotating';
const bootstrapUser = 'system:serviceaccount:open-cluster-management:agent-registration-bootstrap';
/** Each is renewed after a tenth of it, because its life begins five minutes before it is signed. */
const hubFlags = [
  '--grpc-signing-duration=40s',
  '--feature-gates=ManagedClusterAutoApproval=true',
  `--auto-approved-grpc-users=${bootstrapUser}`,
];
const rotations = 4;

it.each(serverKinds)(
  'on %s, agents join without an administrator, renew their certificate over the stream, and works go on [grpc-cloudevents 26.7-63, 26.7-64, 26.6-58] [registration-agent 75, 76] [registration-hub 58, 59]',
  { timeout: 200_000 },
  async (kind) => {
    await using managed = await startServer('embedded');
    await using fleet = await startGrpcFleet(await startServer(kind));
    try {
      fleet.startGrpcHub(hubFlags);
      await fleet.startGrpcServer();
      const cluster = await fleet.newGrpcCluster(managed);
      const agent = cluster.startGrpcAgent(name);
      // The work agent has the identity from the files that the registration agent leaves.
      const work = cluster.startGrpcWorkAgent(name);
      await fleet.admin.joined(name);
      const works = fleet.hub.client.resource(manifestWorks);
      const apply = async (each: string) => {
        const manifests = [configMap(each)];
        await works.create({ metadata: { namespace: name, name: each }, spec: { workload: { manifests } } });
        await fleet.admin.seen.until(
          manifestWorks,
          `${each} to be applied`,
          (object) => object.metadata?.name === each && workCondition(object, 'Applied') === 'True',
        );
      };
      await apply('before');
      const issued = new Set<string>();
      await fleet.admin.seen.until(certificateSigningRequests, 'more certificates', ({ metadata, status }) => {
        if (metadata?.labels?.[Label.ClusterName] === name && status?.certificate) issued.add(metadata.name ?? '');
        return issued.size > rotations;
      });
      await apply('after');
      const phases = agent.log.filter(({ msg }) => String(msg).startsWith('the agent is ')).map(({ msg }) => msg);
      expect(phases).toEqual(['the agent is bootstrapping', 'the agent is joining', 'the agent is running']);
      expect([agent, work].map(({ running }) => running)).toEqual([true, true]);
      expect(cluster.apiServerConnections()).toBe(0);
    } catch (error) {
      console.error(fleet.logs());
      throw error;
    }
  },
);
