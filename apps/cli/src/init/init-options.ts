import type { ChangeOptions, WaitOptions } from '../context.ts';
import type { InitDriverOptions } from '../drivers/registration-driver.ts';
import type { HubValueOptions } from '../operator/hub-values.ts';

/** As `--webhook-url`: no webhook server, policies guard the hub. */
export const noWebhooks = 'none';

/** The flags of `init`. */
export interface InitOptions extends ChangeOptions, WaitOptions, InitDriverOptions, HubValueOptions {
  readonly operator?: boolean;
  readonly webhookUrl?: string;
  readonly featureGates?: Readonly<Record<string, string>>;
  readonly registrationDrivers?: readonly string[];
  readonly createNamespace: boolean;
  readonly wait?: boolean;
  readonly output: string;
  readonly outputFile?: string;
  readonly outputJoinCommandFile?: string;
}
