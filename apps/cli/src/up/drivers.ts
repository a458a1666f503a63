import { csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';

/** The auth types by which clusters of `up` may join. */
export const upAuthTypes = ['csr', 'grpc'] as const;
export type UpAuthType = (typeof upAuthTypes)[number];

/** The auth types of the hub of `up`. */
export const hubDrivers = (auth: UpAuthType) => (auth === 'grpc' ? [csrDriver, grpcDriver] : [csrDriver]);
