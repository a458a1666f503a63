import { defaultAccess } from '@flotilla/kube';
import type { ProcessContext } from '@flotilla/process';
import type { JoinedWork, registrationFlags } from '@flotilla/registration-core/agent';
import { joinedProxy } from '../joined-proxy.ts';

type Context = ProcessContext<ReturnType<typeof registrationFlags>>;

/** Runs an agent with what offers the API of its cluster to users of the hub, or without it if the feature gate is off. */
export async function withProxy(
  { options, clock, log }: Pick<Context, 'options' | 'clock' | 'log'>,
  env: Readonly<Record<string, string | undefined>>,
  run: (proxy: JoinedWork | undefined) => Promise<void>,
): Promise<void> {
  if (!options.featureGates.ClusterProxy) return run(undefined);
  const { kubeconfig, context } = options;
  const { spokeKubeconfig = kubeconfig } = options;
  const spoke = defaultAccess({
    clock,
    env,
    ...(spokeKubeconfig && { kubeconfig: spokeKubeconfig }),
    ...(context && { context }),
  });
  try {
    await run(joinedProxy({ spoke, clock, log, env }));
  } finally {
    spoke.close();
  }
}
