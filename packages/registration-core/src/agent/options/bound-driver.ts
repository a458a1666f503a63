import type { OptionDefinitions, OptionValues } from '@flotilla/process';
import type {
  AddonDriver,
  AddonDriverContext,
  AddonRegistration,
  AgentDriver,
  AgentDriverContext,
  CredentialIssuer,
  Driver,
} from '../../contract/index.ts';

/** A driver with the values of its flags. */
export interface BoundDriver {
  readonly authType: string;
  /** Absent if clusters cannot register so, only add-ons. */
  readonly agent?: (context: Omit<AgentDriverContext<unknown>, 'options'>) => AgentDriver | Promise<AgentDriver>;
  readonly addon?: BoundAddonDriver;
}

/** The part of a driver that serves add-ons, with the values of its flags. */
export interface BoundAddonDriver
  extends Pick<AddonDriver<unknown>, 'authType' | 'statusDriver' | 'needsClusterDriver' | 'supports' | 'subject'> {
  create(context: Omit<AddonDriverContext<unknown>, 'options'>, registration: AddonRegistration): CredentialIssuer;
}

/** Gives a driver the values of its flags: `bindDriver(csrDriver, { bootstrapKubeconfig, … })`. */
export function bindDriver<A extends OptionDefinitions, H extends OptionDefinitions>(
  driver: Driver<A, H>,
  options: OptionValues<A>,
): BoundDriver {
  const { authType, addon } = driver;
  const agent = driver.agent?.bind(driver);
  return {
    authType,
    ...(agent && { agent: (context) => agent({ ...context, options }) }),
    ...(addon && {
      addon: {
        authType: addon.authType,
        ...(addon.statusDriver !== undefined && { statusDriver: addon.statusDriver }),
        ...(addon.needsClusterDriver && { needsClusterDriver: true }),
        supports: (registration) => addon.supports(registration),
        subject: (identity, registration) => addon.subject?.(identity, registration),
        create: (context, registration) => addon.create({ ...context, options }, registration),
      },
    }),
  };
}
