import type { ClusterManager, Klusterlet, RegistrationDriverAgent, RegistrationDriverHub } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import { CliError } from '../errors/cli-error.ts';
import { type AuthType, authTypes, type DriverFlags, flagsOf } from '../options/driver-flags.ts';
import { awsirsa } from './awsirsa.ts';
import { csr } from './csr.ts';
import { grpc } from './grpc.ts';
import type {
  InitDriverOptions,
  JoinDriverOptions,
  ProgramSettings,
  RegistrationDriver,
} from './registration-driver.ts';

/** The auth types of the command line. Another one is another element here and in `driverFlags`. */
const registrationDrivers: Readonly<Record<AuthType, RegistrationDriver>> = { csr, awsirsa, grpc };

/** An auth type by its name in a ClusterManager or Klusterlet; throws for one that this program does not have. */
export function registrationDriver(authType: string | undefined = 'csr', origin = 'the auth type'): RegistrationDriver {
  const known = authTypes.find((name) => name === authType);
  if (known) return registrationDrivers[known];
  throw new CliError('usage', `${origin} ${authType} is not known`, `It should be one of ${authTypes.join(', ')}.`);
}

/**
 * The entries of the ClusterManager, in the order of the flag. An entry that exists keeps what no flag changes, and without any flag all
 * stay. Refuses flags of an auth type that is not among them.
 */
export async function hubEntries(
  names: readonly string[] | undefined,
  options: InitDriverOptions,
  hub: ClusterAccess,
  earlier: readonly RegistrationDriverHub[] = [],
): Promise<RegistrationDriverHub[]> {
  if (earlier.length > 0 && !asksForDrivers('init', names, options)) return [...earlier];
  const chosen = names ?? (earlier.length > 0 ? earlier.map(({ authType }) => authType) : ['csr']);
  const drivers = chosen.map((name) => registrationDriver(name, '--registration-drivers'));
  refuseFlagsOfOthers('init', chosen, options, '--registration-drivers');
  return Promise.all(
    drivers.map(({ init }, at) =>
      init.entry(
        options,
        hub,
        earlier.find(({ authType }) => authType === chosen[at]),
      ),
    ),
  );
}

/** Whether the flags of a command are about how clusters register. */
export const asksForDrivers = (command: keyof DriverFlags, choice: unknown, options: object): boolean =>
  choice !== undefined ||
  authTypes.some((authType) => flagsOf(authType, command).some(({ name }) => Object.hasOwn(options, optionOf(name))));

/** How the controllers run with these entries. */
export function hubSettings(entries: readonly RegistrationDriverHub[]): ProgramSettings {
  const settings = entries.map((entry) => registrationDriver(entry.authType).init.settings(entry));
  const names = entries.map(({ authType }) => authType).join(',');
  return {
    flags: Object.assign(
      names === 'csr' ? {} : { 'enabled-registration-drivers': names },
      ...settings.map(({ flags }) => flags),
    ),
    accountAnnotations: Object.assign({}, ...settings.map(({ accountAnnotations }) => accountAnnotations)),
  };
}

/** Who is accepted without an administrator, of any auth type. */
export const autoApprovedIdentities = (entries: readonly RegistrationDriverHub[]): string[] =>
  entries.flatMap((entry) => entry[entry.authType]?.autoApprovedIdentities ?? []);

/** The auth types of a hub that was installed, as far as this program has them. */
export const installedDrivers = (clusterManager: ClusterManager | undefined) => {
  const entries = clusterManager?.spec?.registrationConfiguration?.registrationDrivers ?? [];
  const known = authTypes.filter((name) => entries.some(({ authType }) => authType === name));
  return (known.length > 0 ? known : (['csr'] as const)).map((name) => registrationDrivers[name].driver);
};

/** What the printed `join` command must say about the auth type: nothing where the default one is offered. */
export function joinFlagsOf(clusterManager: ClusterManager | undefined): readonly string[] {
  const entries = clusterManager?.spec?.registrationConfiguration?.registrationDrivers ?? [];
  const known = entries.filter(({ authType }) => authTypes.some((name) => name === authType));
  const [first] = known;
  if (!first || known.some(({ authType }) => authType === authTypes[0])) return [];
  return registrationDriver(first.authType).init.joinFlags(first);
}

/** What `join` is asked for: the part of the Klusterlet. What an earlier `join` chose stays, unless a flag says otherwise. */
export async function agentEntry(
  authType: string | undefined,
  options: JoinDriverOptions,
  managed: ClusterAccess,
  klusterlet: Klusterlet | undefined,
): Promise<RegistrationDriverAgent> {
  const earlier = klusterlet?.spec?.registrationConfiguration?.registrationDriver;
  const name = authType ?? earlier?.authType ?? 'csr';
  const { join } = registrationDriver(name, '--registration-auth');
  refuseFlagsOfOthers('join', [name], options, '--registration-auth');
  return join.entry(options, managed, earlier?.authType === name ? earlier : undefined);
}

/** How the agent runs with its part of the Klusterlet. */
export function agentSettings(entry: RegistrationDriverAgent): ProgramSettings {
  const { flags, ...others } = registrationDriver(entry.authType).join.settings(entry);
  return { flags: { 'registration-auth': entry.authType, ...flags }, ...others };
}

/** A flag without its auth type would be ignored, and the user would find out when no cluster can join. */
function refuseFlagsOfOthers(
  command: keyof DriverFlags,
  chosen: readonly string[],
  options: object,
  choice: string,
): void {
  const given = new Set(Object.keys(options));
  const own = new Set(
    authTypes
      .filter((name) => chosen.includes(name))
      .flatMap((name) => flagsOf(name, command).map((flag) => flag.name)),
  );
  for (const authType of authTypes) {
    const flag = flagsOf(authType, command).find(({ name }) => !own.has(name) && given.has(optionOf(name)));
    if (!flag) continue;
    throw new CliError(
      'usage',
      `${flag.name} has no effect without ${choice} ${authType}`,
      `Add ${authType} to ${choice}, or leave ${flag.name} out.`,
    );
  }
}

/** The key under which a flag is parsed: `--hub-cluster-arn` is `hubClusterArn`. */
const optionOf = (flag: string): string =>
  flag.slice(2).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
