import { KubeError } from '@flotilla/kube';
import type { OptionDefinitions } from '@flotilla/process';
import type { Driver } from './driver.ts';

/**
 * The flags of all drivers, for a program that lists them. A flag that two drivers define is refused, unless both have the same
 * definition object: then they share it.
 */
export function driverOptions(drivers: readonly Driver[], side: 'agent' | 'hub'): OptionDefinitions {
  const merged: Record<string, OptionDefinitions[string]> = {};
  const owners = new Map<string, string>();
  for (const { authType, options } of drivers) {
    for (const [key, definition] of Object.entries(options[side])) {
      if (key in merged && merged[key] !== definition) {
        throw new KubeError('Config', `the drivers ${owners.get(key)} and ${authType} both define the option ${key}`, {
          hint: 'Let both use the same definition object, or rename the flag of one of them.',
        });
      }
      merged[key] = definition;
      owners.set(key, authType);
    }
  }
  return merged;
}
