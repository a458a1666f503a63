/** What the configs of a work say about one manifest; for those who explain a work and do not apply it. */
export type { ConfiguredResource } from './config-index.ts';
export { type ResolvedConfig, resolveManifestConfig } from './resolve-config.ts';
