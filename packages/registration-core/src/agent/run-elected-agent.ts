import { componentNamespace, connectKube, type ElectedProcess, runElected } from '@flotilla/kube/process';
import { type AgentProcess, type RunAgentInput, runRegistrationAgent } from './run-agent.ts';

/** What an app says of its registration agent. */
export interface ElectedAgentInput extends Omit<RunAgentInput, 'management' | 'namespace'> {
  /** Whose Lease decides which replica runs: `LeaderElectionComponent`. */
  readonly component: string;
}

/** Runs the registration agent of a process while this replica leads, until the signal aborts. */
export async function runElectedAgent(
  context: AgentProcess & ElectedProcess,
  { component, ...input }: ElectedAgentInput,
): Promise<void> {
  const namespace = await componentNamespace(context.options);
  const management = connectKube(context, { name: 'management', env: input.env, fieldManager: input.userAgent });
  const run = (signal: AbortSignal) =>
    runRegistrationAgent({ ...context, signal }, { ...input, management, namespace });
  try {
    await runElected(context, { client: management, component, namespace, run });
  } finally {
    await management.close();
  }
}
