import { awsIrsaDriver } from '@flotilla/driver-awsirsa';
import { csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';

/** The auth types that the operator can give to hubs. Another one is another element. */
export const drivers = [csrDriver, awsIrsaDriver, grpcDriver];
