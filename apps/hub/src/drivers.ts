import { awsIrsaDriver } from '@flotilla/driver-awsirsa';
import { csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';

/** The auth types of this hub. Another one is another element. */
export const drivers = [csrDriver, awsIrsaDriver, grpcDriver];
