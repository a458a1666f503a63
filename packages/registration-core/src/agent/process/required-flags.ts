import { KubeError } from '@flotilla/kube';
import { flagOf, type OptionDefinitions, type OptionValues } from '@flotilla/process';
import type { Driver } from '../../contract/index.ts';

/** Refuses to start without a flag that the chosen driver requires. */
export function requireFlags({ authType, options }: Driver, values: OptionValues<OptionDefinitions>): void {
  for (const [key, definition] of Object.entries(options.agent)) {
    if (!('required' in definition && definition.required)) continue;
    const value = values[key];
    if (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '') continue;
    throw new KubeError('Config', `--${flagOf(key, definition)} is required with --registration-auth=${authType}`, {
      hint: `It means: ${definition.description}`,
    });
  }
}
