// Writes deploy/*.yaml. Run by `npm run generate`, after the packages are built.
import { writeManifestFiles } from '@flotilla/install/deploy';
import { clusterProxyDirectory, directory, files, filesOfClusterProxy } from './manifests.ts';

writeManifestFiles(directory, files);
writeManifestFiles(clusterProxyDirectory, filesOfClusterProxy);
