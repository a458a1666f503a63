// Writes deploy/*.yaml. Run by `npm run generate`, after the packages are built.
import { writeManifestFiles } from '@flotilla/install/deploy';
import { debugDirectory, debugFiles, directory, files, filesOfGrpc, grpcDirectory } from './manifests.ts';

writeManifestFiles(directory, files);
writeManifestFiles(debugDirectory, debugFiles);
writeManifestFiles(grpcDirectory, filesOfGrpc);
