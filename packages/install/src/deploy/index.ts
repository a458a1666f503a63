/** The manifests that run hubs, agents and operators in a cluster, as files. */
export { agentFiles, agentProxyFiles, singletonFiles } from './agent-files.ts';
export { type ChartFile, clusterManagerChartFiles, klusterletChartFiles } from './chart-files.ts';
export { clusterProxyFiles, grpcFiles, hubFiles, placementDebugFiles, pushFiles } from './hub-files.ts';
export { type ManifestFile, staleManifestFiles, writeManifestFiles } from './manifest-file.ts';
export { clusterManagerFiles, klusterletFiles } from './operator-files.ts';
