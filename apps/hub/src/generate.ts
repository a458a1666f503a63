// Writes deploy/*.yaml. Run by `npm run generate`, after the packages are built.
import { writeManifestFiles } from '@flotilla/install/deploy';
import {
  clusterProxyDirectory,
  debugDirectory,
  debugFiles,
  directory,
  files,
  filesOfClusterProxy,
  filesOfGrpc,
  filesOfPush,
  grpcDirectory,
  pushDirectory,
} from './manifests.ts';

writeManifestFiles(directory, files);
writeManifestFiles(debugDirectory, debugFiles);
writeManifestFiles(grpcDirectory, filesOfGrpc);
writeManifestFiles(clusterProxyDirectory, filesOfClusterProxy);
writeManifestFiles(pushDirectory, filesOfPush);
