import type { ChangeOptions, WaitOptions } from '../context.ts';
import type { JoinAddonOptions } from '../drivers/addon-drivers.ts';
import type { JoinDriverOptions } from '../drivers/registration-driver.ts';
import type { ReachOptions } from '../managed/hub-reach.ts';
import type { TokenSource } from '../managed/hub-token.ts';
import type { PreflightReport } from '../managed/preflight-report.ts';
import type { AgentValueOptions } from './agent-values.ts';
import type { CapiOptions } from './capi-cluster.ts';
import type { DeployModeOptions } from './deploy-mode.ts';

/** The flags of `join`. */
export interface JoinOptions
  extends TokenSource,
    ChangeOptions,
    WaitOptions,
    JoinDriverOptions,
    JoinAddonOptions,
    ReachOptions,
    DeployModeOptions,
    AgentValueOptions,
    CapiOptions {
  readonly operator?: boolean;
  readonly forceInternalEndpointLookupManaged?: boolean;
  readonly registrationAuth?: string;
  readonly klusterletAnnotation?: Readonly<Record<string, string>>;
  readonly featureGates?: Readonly<Record<string, string>>;
  readonly createNamespace: boolean;
  readonly clientCertExpirationSeconds?: number;
  readonly wait?: boolean;
  readonly run?: boolean;
  readonly output: string;
  readonly outputFile?: string;
  /** Where the checks are recorded. Not a flag. */
  readonly report?: PreflightReport;
  /** Called when what the agent needs is installed, before it runs here. Not a flag. */
  readonly onInstalled?: () => Promise<void>;
}
