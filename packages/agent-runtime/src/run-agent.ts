import { silentLogger } from '@flotilla/kube';
import { realClock } from '@flotilla/kube/clock';
import type { KitMetrics } from '@flotilla/kube/metrics';
import { type AgentInput, type AgentState, createAgent, runWithWork } from '@flotilla/registration-core/agent';
import { joinedProxy, type ProxyInput, together } from './joined-proxy.ts';
import { joinedWork, type WorkInput } from './joined-work.ts';

/** What an agent runs with: the driver by which its cluster registers, and how works are applied. */
export interface RunAgentInput extends AgentInput {
  readonly work?: Pick<WorkInput, 'agentID' | 'options'>;
  /** How users of the hub reach the cluster, if they shall. */
  readonly proxy?: Pick<ProxyInput, 'spoke' | 'env'>;
  readonly signal: AbortSignal;
  readonly metrics?: KitMetrics;
  /** Called with the current state of registration, then with each change. */
  readonly onState?: (state: AgentState) => void;
}

/** Runs all parts of an agent, registration and works, until the signal aborts. If one part fails, the others end too. */
export async function runAgent({ work, proxy, signal, metrics, onState, ...input }: RunAgentInput): Promise<void> {
  const { spoke, clock = realClock, log = silentLogger } = input;
  const agent = createAgent(input);
  const states = agent.state$.subscribe((state) => onState?.(state));
  try {
    const works = joinedWork({ ...work, spoke, clock, log, ...(metrics && { metrics }) });
    await runWithWork(agent, signal, proxy ? together(works, joinedProxy({ ...proxy, clock, log })) : works);
  } finally {
    states.unsubscribe();
  }
}
