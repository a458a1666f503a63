import { awsIrsaDriver } from '@flotilla/driver-awsirsa';
import { csrAddonDriver, csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';
import { tokenDriver } from '@flotilla/driver-token';

/** By which add-ons of pushed clusters get access to the hub. */
export const addonDrivers = [tokenDriver, csrAddonDriver];

/** The auth types of this hub. Another one is another element. */
export const drivers = [csrDriver, awsIrsaDriver, grpcDriver];
