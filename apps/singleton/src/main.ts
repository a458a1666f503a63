import { FieldManager, LeaderElectionComponent } from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import { connectKube, nodeHost, runProcess } from '@flotilla/kube/process';
import { type JoinedWork, runElectedAgent } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';
import { runWork } from '@flotilla/work-agent';
import manifest from '../package.json' with { type: 'json' };
import { singletonOptions } from './options.ts';

/** The auth types that this agent can use; the first is the default. Another one is another element. */
const drivers: readonly Driver[] = [csrDriver];
const host = nodeHost();

await runProcess({
  name: 'flotilla-singleton',
  version: manifest.version,
  description: 'The whole agent of a managed cluster in one process.',
  options: singletonOptions(drivers),
  host,
  async main(context) {
    const { env } = host;
    const { kubeconfig, spokeKubeconfig = kubeconfig } = context.options;
    const spokeContext = { ...context, options: { ...context.options, kubeconfig: spokeKubeconfig } };
    const spoke = connectKube(spokeContext, { name: 'spoke', env, fieldManager: FieldManager.WorkAgent });
    // Works are applied from the moment the hub has let the cluster in.
    const whileJoined: JoinedWork = ({ access, identity }, signal) => {
      const { clusterName, agentName: agentID } = identity;
      return runWork({ ...context, signal }, { access, clusterName, agentID }, { spoke, env });
    };
    const component = LeaderElectionComponent.KlusterletAgent;
    try {
      await runElectedAgent(context, { component, drivers, env, userAgent: 'flotilla-singleton', whileJoined });
    } finally {
      await spoke.close();
    }
  },
});
