/** The manifests that run hubs and agents in a cluster, as files. */
export { agentFiles, singletonFiles } from './agent-files.ts';

export { grpcFiles, hubFiles, placementDebugFiles } from './hub-files.ts';

export { type ManifestFile, staleManifestFiles, writeManifestFiles } from './manifest-file.ts';
