import type { ClusterManagerRelease } from '@flotilla/install/chart';
import manifest from '../../package.json' with { type: 'json' };
import { registrationDriver } from '../drivers/registration-drivers.ts';
import { authTypes } from '../options/driver-flags.ts';

/** The version of this program, and of what it installs. */
export const ownVersion = manifest.version;

/** The release that this program installs: its operator can run a hub with any auth type. */
export const release: ClusterManagerRelease = {
  version: ownVersion,
  drivers: authTypes.map((authType) => registrationDriver(authType).driver),
};
