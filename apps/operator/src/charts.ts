import { readFileSync } from 'node:fs';
import {
  type ChartFile,
  clusterManagerChartFiles,
  clusterManagerFiles,
  klusterletChartFiles,
  klusterletFiles,
  type ManifestFile,
} from '@flotilla/install/deploy';
import manifest from '../package.json' with { type: 'json' };
import { drivers } from './drivers.ts';

const deploy = new URL('../../../deploy/', import.meta.url);

/** The release that the charts of this checkout are. */
const release = { version: manifest.version, drivers };

/** The directories of charts, with the files that are generated there. */
export const charts = async (): Promise<readonly { directory: URL; files: ChartFile[] }[]> => [
  { directory: new URL('charts/cluster-manager/', deploy), files: await clusterManagerChartFiles(release) },
  { directory: new URL('charts/klusterlet/', deploy), files: await klusterletChartFiles(release) },
];

/** The directories of plain manifests. */
export const manifests = async (): Promise<readonly { directory: URL; files: ManifestFile[] }[]> => [
  { directory: new URL('cluster-manager/', deploy), files: await clusterManagerFiles(release) },
  { directory: new URL('klusterlet/', deploy), files: await klusterletFiles(release) },
];

/** The files of a chart that are not what would be generated now. */
export const staleChartFiles = ({ directory, files }: { directory: URL; files: readonly ChartFile[] }): string[] =>
  files.filter(({ path, text }) => read(new URL(path, directory)) !== text).map(({ path }) => path);

function read(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
