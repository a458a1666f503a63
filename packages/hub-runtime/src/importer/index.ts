export { clusterApiClusters } from './cluster-api.policy.ts';
export { type ImporterInput, importerController } from './importer.controller.ts';
export type { RenderOptions } from './renderers.ts';
