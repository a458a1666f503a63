import { writeFile } from 'node:fs/promises';
import { clusterManagers, ObjectName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { waitFor } from '../cluster/wait.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { grpcAdvice } from '../hub/grpc-join-info.ts';
import { addressWarning, createJoinInfo, type JoinInfo, joinCommand, joinInfoValue } from '../hub/join-info.ts';
import { signAgain } from '../hub/join-tokens.ts';
import { findLeader } from '../hub/leader.ts';
import type { Progress } from '../output/progress.ts';
import { formatResult, nameOfKind } from '../output/result.ts';
import type { InitOptions } from './init-options.ts';

/** The hub that `init` made. */
interface InstalledHub extends Pick<Welcome, 'start' | 'guarded'> {
  readonly hub: Connection;
  readonly progress: Progress;
}

/** Prints how to start the hub and how clusters join it. */
export async function presentHub(
  context: CliContext,
  options: InitOptions & GlobalOptions,
  { hub, start, guarded, progress }: InstalledHub,
): Promise<void> {
  // Tokens of an earlier installation sign what is published now.
  await signAgain(hub.client, context.clock);
  const joinInfo = await createJoinInfo(context, hub, options);
  const command = joinCommand(context.program, joinInfo, { wait: options.wait === true });
  if (options.outputJoinCommandFile) {
    await writeFile(options.outputJoinCommandFile, `${command.replace('<cluster_name>', '$1')}\n`, { mode: 0o600 });
  }
  const warning = addressWarning(joinInfo.server);
  if (warning) progress.done(warning);
  if (options.wait && start.length > 0) {
    progress.done(`Start the hub in another terminal:\n\n${indented(start)}\n`);
    await hubRuns(context, hub.client, options.timeout, progress);
  }
  context.out.write(
    formatResult(options.output, {
      text: welcome(context.program, { start, command, joinInfo, guarded }),
      value: joinInfoValue(joinInfo),
      names: [nameOfKind(clusterManagers, ObjectName.ClusterManager)],
    }),
  );
}

const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n');

/** What `init` prints at its end. */
interface Welcome {
  readonly start: readonly string[];
  readonly command: string;
  readonly joinInfo: JoinInfo;
  /** What is different without a webhook server; empty with one. */
  readonly guarded: string;
}

/** What is different without a webhook server. */
export const withoutWebhooks = (program: string): string => `
The API server itself guards who may accept clusters, move them between cluster sets, remove them by force and name
executors, by ValidatingAdmissionPolicies. What needs a webhook server is not done: clusters without a cluster set are not put
into "default", taints get no time stamp, the manifests of a ManifestWork are not checked before its agent reads them, and
add-ons are served in v1beta1 only. For that, run one and repeat this with its address:

    ${program} init --webhook-url https://HOST:9443
`;

const welcome = (
  program: string,
  { start, command, joinInfo, guarded }: Welcome,
): string => `The multicluster hub control plane has been initialized successfully!

${start.length > 0 ? `Start the hub, if it does not run yet:\n\n${indented(start)}\n${guarded}\n` : ''}You can now register cluster(s) to the hub control plane. Log onto those cluster(s) and run the following command
(until ${joinInfo.expires}; \`${program} get token\` prints a new one):

    ${command}
${grpcAdvice(program, joinInfo)}
Replace <cluster_name> with a cluster name of your choice. For example, cluster1.
`;

/** Waits until a process leads the controllers. */
async function hubRuns(context: CliContext, client: KubeClient, timeout: number, progress: Progress): Promise<void> {
  const goal = 'the controllers of the hub';
  const hint = 'Start them as printed above.';
  await waitFor(context, { goal, hint, timeoutMs: timeout * 1000, progress }, () => findLeader(client, context.clock));
}
