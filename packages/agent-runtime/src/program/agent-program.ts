import type { Command } from '@flotilla/process';
import type { Driver } from '@flotilla/registration-core/contract';

/** An agent as a program of its own. */
export interface AgentProgram {
  /** As the user calls it. */
  readonly name: string;
  readonly version: string;
  /** The auth types that this agent can use. The first is the default. */
  readonly drivers: readonly Driver[];
  /** Commands beside `registration` and `work`. */
  readonly commands?: Readonly<Record<string, Command>>;
}
