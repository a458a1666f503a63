import { KubeError } from '@flotilla/kube';
import { flagOf, type OptionDefinitions, type OptionValues } from '@flotilla/process';
import type { Driver } from './driver.ts';

/** The flag that chooses drivers, by the side that has it. */
const choosingFlag = { agent: 'registration-auth', hub: 'enabled-registration-drivers' } as const;

type Requiring = Pick<Driver, 'authType' | 'options'>;

/** A flag that a driver requires, and that is not given; undefined if there is none. */
export function missingFlag(
  { options }: Requiring,
  side: 'agent' | 'hub',
  values: OptionValues<OptionDefinitions>,
): { readonly flag: string; readonly description: string } | undefined {
  for (const [key, definition] of Object.entries(options[side])) {
    if (!('required' in definition && definition.required)) continue;
    const value = values[key];
    if (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '') continue;
    return { flag: flagOf(key, definition), description: definition.description };
  }
  return undefined;
}

/** Refuses to start without a flag that a driver requires, which another flag has chosen. */
export function requireFlags(
  driver: Requiring,
  side: 'agent' | 'hub',
  values: OptionValues<OptionDefinitions>,
  chosenWith: string = choosingFlag[side],
): void {
  const missing = missingFlag(driver, side, values);
  if (!missing) return;
  throw new KubeError('Config', `--${missing.flag} is required with --${chosenWith}=${driver.authType}`, {
    hint: `It means: ${missing.description}`,
  });
}
