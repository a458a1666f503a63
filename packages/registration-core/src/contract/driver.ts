import type { OptionDefinitions, OptionValues } from '@flotilla/process';
import type { AddonDriver } from './addon-driver.ts';
import type { AgentDriver, AgentDriverContext } from './agent-driver.ts';
import type { HubDriver, HubDriverContext, PolicyRule } from './hub-driver.ts';

/** An auth type as a value: programs list drivers in an array, and nothing in the core knows one by name. */
export interface Driver<
  A extends OptionDefinitions = OptionDefinitions,
  H extends OptionDefinitions = OptionDefinitions,
> {
  /** OCM's word for it on the wire and in flags: `csr`, `grpc`, `awsirsa`, `token`. */
  readonly authType: string;
  /**
   * Flags that a program adds to its own. Drivers that need one flag define it alike (as with `certificateOptions` and
   * `kubeBootstrapOptions`); two different definitions of one flag are refused. A flag of the agent that is `required` is required only
   * of those who choose this driver.
   */
  readonly options: { readonly agent: A; readonly hub: H };
  /** What the auth type needs on the hub, without wildcards: the permissions of the hub's controllers and of the bootstrap user. */
  readonly rules?: { readonly hub?: readonly PolicyRule[]; readonly bootstrap?: readonly PolicyRule[] };
  /** The agent's side; called once. Throws `Config` if the options cannot work. Absent if clusters cannot register so, only add-ons. */
  agent?(context: AgentDriverContext<OptionValues<NoInfer<A>>>): AgentDriver | Promise<AgentDriver>;
  /** The hub's side; called once, when the hub starts. Absent if the hub has nothing to do for it. */
  hub?(context: HubDriverContext<OptionValues<NoInfer<H>>>): HubDriver | Promise<HubDriver>;
  /** Credentials of add-ons; absent if the auth type has none. */
  readonly addon?: AddonDriver<OptionValues<NoInfer<A>>>;
}

/** An auth type by which clusters register. */
export interface ClusterDriver<A extends OptionDefinitions, H extends OptionDefinitions> extends Driver<A, H> {
  agent(context: AgentDriverContext<OptionValues<NoInfer<A>>>): AgentDriver | Promise<AgentDriver>;
  hub(context: HubDriverContext<OptionValues<NoInfer<H>>>): HubDriver | Promise<HubDriver>;
}

/** Declares a driver; exists for inference. One without a side of agent and hub serves add-ons only. */
export function defineDriver<const A extends OptionDefinitions, const H extends OptionDefinitions>(
  driver: ClusterDriver<A, H>,
): ClusterDriver<A, H>;
export function defineDriver<const A extends OptionDefinitions, const H extends OptionDefinitions>(
  driver: Driver<A, H>,
): Driver<A, H>;
export function defineDriver<A extends OptionDefinitions, H extends OptionDefinitions>(
  driver: Driver<A, H>,
): Driver<A, H> {
  return driver;
}
