import { readFileSync } from 'node:fs';
import { awsIrsaDriver } from '@flotilla/driver-awsirsa';
import { csrDriver } from '@flotilla/driver-csr';
import { grpcDriver } from '@flotilla/driver-grpc';
import {
  type ClusterManagerChartValues,
  clusterManagerDefinitions,
  clusterManagerObjects,
  type GivenValues,
  type KlusterletChartValues,
  klusterletDefinitions,
  klusterletObjects,
} from '@flotilla/install/chart';
import type { KubeObject } from '@flotilla/schema';

const { version } = JSON.parse(readFileSync(new URL('../../apps/operator/package.json', import.meta.url), 'utf8'));
const release = { version, drivers: [csrDriver, awsIrsaDriver, grpcDriver] };

/** Values of either chart. */
export type ChartValues =
  | { readonly chart: 'cluster-manager'; readonly values: GivenValues<ClusterManagerChartValues> }
  | { readonly chart: 'klusterlet'; readonly values: GivenValues<KlusterletChartValues> };

/** What the command line installs with the values of a chart. */
export const rendered = async (given: ChartValues): Promise<KubeObject[]> =>
  given.chart === 'cluster-manager'
    ? [...(await clusterManagerDefinitions()), ...clusterManagerObjects(given.values, release)]
    : [...(await klusterletDefinitions()), ...klusterletObjects(given.values, release)];
