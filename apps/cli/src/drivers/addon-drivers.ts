import type { Klusterlet } from '@flotilla/api-types';
import { tokenDriver } from '@flotilla/driver-token';
import { type BoundDriver, bindDriver } from '@flotilla/registration-core/agent';
import { CliError } from '../errors/cli-error.ts';
import { csr } from './csr.ts';

/** By what add-ons get access to the API of the hub, whatever their cluster registered by. */
const addonAuthTypes = ['csr', 'token'] as const;

type RegistrationConfiguration = NonNullable<NonNullable<Klusterlet['spec']>['registrationConfiguration']>;
type AddonEntry = NonNullable<RegistrationConfiguration['addOnKubeClientRegistrationDriver']>;

/** The flags of `join` for add-ons. */
export interface JoinAddonOptions {
  readonly addonKubeclientRegistrationAuth?: string;
  readonly addonTokenExpirationSeconds?: number;
}

const leastSeconds = 600;
const defaultSeconds = 31_536_000;

/** What `join` is asked for: the part of the Klusterlet. What an earlier `join` chose stays, unless a flag says otherwise. */
export function addonEntry(options: JoinAddonOptions, klusterlet: Klusterlet | undefined): AddonEntry | undefined {
  const { addonKubeclientRegistrationAuth: auth, addonTokenExpirationSeconds: seconds } = options;
  const earlier = klusterlet?.spec?.registrationConfiguration?.addOnKubeClientRegistrationDriver;
  const chosen = auth ?? earlier?.authType;
  const authType = addonAuthTypes.find((name) => name === chosen);
  if (chosen !== undefined && !authType) {
    const hint = `It should be one of ${addonAuthTypes.join(', ')}.`;
    throw new CliError('usage', `--addon-kubeclient-registration-auth ${chosen} is not known`, hint);
  }
  if (seconds === undefined) return authType === earlier?.authType ? earlier : authType && { authType };
  if (authType !== 'token') {
    const hint = 'Add --addon-kubeclient-registration-auth token, or leave it out.';
    throw new CliError('usage', '--addon-token-expiration-seconds has no effect without tokens', hint);
  }
  if (seconds < leastSeconds) {
    const what = `--addon-token-expiration-seconds is ${seconds}, and the API server gives no token for less than ${leastSeconds}`;
    throw new CliError('usage', what, `Give ${leastSeconds} or more.`);
  }
  return { authType, token: { expirationSeconds: seconds } };
}

/** The flags with which the agent runs with its part of the Klusterlet. */
export const addonFlags = ({ authType, token }: AddonEntry = {}): Record<string, string> => ({
  ...(authType && { 'addon-kubeclient-registration-auth': authType }),
  ...(authType === 'token' &&
    token?.expirationSeconds && { 'addon-token-expiration-seconds': `${token.expirationSeconds}` }),
});

/** By which the add-ons of an agent in this process may register. */
export const addonDrivers = (registration: RegistrationConfiguration): readonly BoundDriver[] => [
  csr.join.bind(registration),
  bindDriver(tokenDriver, {
    addonTokenExpirationSeconds:
      Number(registration.addOnKubeClientRegistrationDriver?.token?.expirationSeconds ?? 0) || defaultSeconds,
  }),
];
