import { KubeError } from '@flotilla/kube';
import { flagOf, type OptionDefinitions, type OptionValues } from '@flotilla/process';
import type { Driver } from './driver.ts';

/** The flag that chooses drivers, by the side that has it. */
const choosingFlag = { agent: 'registration-auth', hub: 'enabled-registration-drivers' } as const;

/** Refuses to start without a flag that a chosen driver requires. */
export function requireFlags(
  { authType, options }: Pick<Driver, 'authType' | 'options'>,
  side: 'agent' | 'hub',
  values: OptionValues<OptionDefinitions>,
): void {
  for (const [key, definition] of Object.entries(options[side])) {
    if (!('required' in definition && definition.required)) continue;
    const value = values[key];
    if (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '') continue;
    throw new KubeError('Config', `--${flagOf(key, definition)} is required with --${choosingFlag[side]}=${authType}`, {
      hint: `It means: ${definition.description}`,
    });
  }
}
