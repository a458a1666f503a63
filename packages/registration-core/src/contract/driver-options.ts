import { isDeepStrictEqual } from 'node:util';
import { KubeError } from '@flotilla/kube';
import type { OptionDefinitions } from '@flotilla/process';
import type { Driver } from './driver.ts';

/**
 * The flags of all drivers, for a program that lists them. Drivers that define a flag alike share it, also if each brings its own copy of
 * this package; two different definitions of one flag are refused. One may require a flag that another does not: `requireFlags` asks for
 * those of the drivers that are chosen.
 */
export function driverOptions(drivers: readonly Driver[], side: 'agent' | 'hub'): OptionDefinitions {
  const merged: Record<string, OptionDefinitions[string]> = {};
  const owners = new Map<string, string>();
  for (const { authType, options } of drivers) {
    for (const [key, definition] of Object.entries(options[side])) {
      const flag = optional(definition);
      if (merged[key] && !isDeepStrictEqual(merged[key], flag)) {
        throw new KubeError('Config', `the drivers ${owners.get(key)} and ${authType} both define the option ${key}`, {
          hint: 'Let both define it alike, best with the definitions that this package exports, or rename the flag of one of them.',
        });
      }
      merged[key] = flag;
      owners.set(key, authType);
    }
  }
  return merged;
}

/** The same flag, which need not be given. */
function optional(definition: OptionDefinitions[string]): OptionDefinitions[string] {
  const { required: _, ...others } = { required: undefined, ...definition };
  return others;
}
