import type { OptionDefinitions, OptionValues } from '@flotilla/process';
import type { Driver, HubDriver, HubDriverContext } from '../../contract/index.ts';

/** The hub's side of an auth type, started. */
export interface StartedDriver extends HubDriver {
  readonly authType: string;
}

/** What the drivers of a hub are started with; the values of their flags are among `options`. */
export type StartDriversOptions = HubDriverContext<OptionValues<OptionDefinitions>>;

/** Starts the hub's side of each driver that has one. If one fails to start, those that did are closed. */
export async function startDrivers(
  drivers: readonly Driver[],
  context: StartDriversOptions,
): Promise<readonly StartedDriver[]> {
  const started: StartedDriver[] = [];
  try {
    for (const driver of drivers) {
      const hub = await driver.hub?.({ ...context, log: context.log.child({ driver: driver.authType }) });
      if (hub) started.push(named(driver.authType, hub));
    }
    return started;
  } catch (error) {
    await closeDrivers(started);
    throw error;
  }
}

/** Closes what the drivers opened. */
export async function closeDrivers(drivers: readonly HubDriver[]): Promise<void> {
  await Promise.all(drivers.map(async (driver) => driver.close?.()));
}

const named = (authType: string, driver: HubDriver): StartedDriver => ({
  authType,
  controllers: driver.controllers,
  accepts: (cluster) => driver.accepts(cluster),
  subjects: (clusterName) => driver.subjects(clusterName),
  clusterRules: (clusterName) => driver.clusterRules(clusterName),
  ...(driver.external && { external: driver.external }),
  close: () => driver.close?.(),
});
