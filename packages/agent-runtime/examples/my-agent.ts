import { type AgentProgram, runSingletonProgram } from '@flotilla/agent-runtime/program';
import { csrDriver } from '@flotilla/driver-csr';
import type { ProcessHost } from '@flotilla/process';

/** An agent of your own: list the auth types that it can use. The first is the default. */
const myAgent: AgentProgram = { name: 'my-agent', version: '1.0.0', drivers: [csrDriver] };

/** Registration and works in one process, with `--help`, log, metrics, health and leader election. */
export const main = (host?: ProcessHost) => runSingletonProgram(myAgent, host);
