import { FieldManager, LeaderElectionComponent } from '@flotilla/api-types';
import { csrDriver } from '@flotilla/driver-csr';
import { componentNamespace, connectKube, nodeHost, runElected, runProcess } from '@flotilla/kube/process';
import { type JoinedWork, runRegistrationAgent } from '@flotilla/registration-core/agent';
import type { Driver } from '@flotilla/registration-core/contract';
import { runWork } from '@flotilla/work-agent';
import manifest from '../package.json' with { type: 'json' };
import { singletonOptions } from './options.ts';

/** The auth types that this agent can use; the first is the default. Another one is another element. */
const drivers: readonly Driver[] = [csrDriver];
const userAgent = 'flotilla-singleton';
const host = nodeHost();

await runProcess({
  name: 'flotilla-singleton',
  version: manifest.version,
  description: 'The whole agent of a managed cluster in one process.',
  options: singletonOptions(drivers),
  host,
  async main(context) {
    const { env } = host;
    const namespace = await componentNamespace(context.options);
    const management = connectKube(context, { name: 'management', env, fieldManager: userAgent });
    const spokeOptions = {
      ...context.options,
      kubeconfig: context.options.spokeKubeconfig ?? context.options.kubeconfig,
    };
    const spoke = connectKube(
      { ...context, options: spokeOptions },
      { name: 'spoke', env, fieldManager: FieldManager.WorkAgent },
    );
    const component = LeaderElectionComponent.KlusterletAgent;
    // Works are applied from the moment the hub has let the cluster in.
    const whileJoined: JoinedWork = ({ access, identity }, signal) => {
      const { clusterName, agentName: agentID } = identity;
      return runWork({ ...context, signal }, { access, clusterName, agentID }, { spoke, env });
    };
    const run = (signal: AbortSignal) =>
      runRegistrationAgent({ ...context, signal }, { management, namespace, drivers, env, userAgent, whileJoined });
    try {
      await runElected(context, { client: management, component, namespace, run });
    } finally {
      await spoke.close();
      await management.close();
    }
  },
});
