import type { OptionDefinitions, OptionValues } from '@flotilla/kube/process';
import type { AgentDriver, AgentDriverContext } from './agent-driver.ts';
import type { HubDriver, HubDriverContext } from './hub-driver.ts';

/** An auth type as a value: apps list drivers in an array, and nothing in the core knows one by name. */
export interface Driver<
  A extends OptionDefinitions = OptionDefinitions,
  H extends OptionDefinitions = OptionDefinitions,
> {
  /** OCM's word for it on the wire and in flags: `csr`, `grpc`, `awsirsa`, `token`. */
  readonly authType: string;
  /** Flags that an app adds to its own. */
  readonly options: { readonly agent: A; readonly hub: H };
  agent(context: AgentDriverContext<OptionValues<A>>): AgentDriver;
  hub(context: HubDriverContext<OptionValues<H>>): HubDriver;
}

/** Declares a driver; exists for inference. */
export const defineDriver = <const A extends OptionDefinitions, const H extends OptionDefinitions>(
  driver: Driver<A, H>,
): Driver<A, H> => driver;
