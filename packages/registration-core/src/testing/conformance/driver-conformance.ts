import { joining } from './joining.ts';
import { keeping } from './keeping.ts';
import { ofAddons } from './of-addons.ts';
import { onTheHub } from './on-the-hub.ts';
import { type ConformanceCase, type ConformanceOptions, suiteOf } from './suite.ts';

/**
 * The suite that every driver must pass, on a hub and a managed cluster in memory. In a test file:
 * `for (const { name, run } of driverConformance(options)) it(name, run);`
 */
export function driverConformance(options: ConformanceOptions): ConformanceCase[] {
  const suite = suiteOf(options);
  return [...joining(suite), ...keeping(suite), ...onTheHub(suite), ...ofAddons(suite)];
}

/** The part of it for a driver by which add-ons register and clusters do not: it is the first of `addonDrivers`. */
export const addonDriverConformance = (options: ConformanceOptions): ConformanceCase[] => ofAddons(suiteOf(options));
