import { fileURLToPath } from 'node:url';
import { defineConfig, type TestUserConfig, type ViteUserConfig } from 'vitest/config';

const packages = fileURLToPath(new URL('./packages', import.meta.url));

/** Specs run on the sources of the workspace's packages, so that no build is needed to see a change. */
export const sourceAliases = [
  { find: /^@flotilla\/([^/]+)$/, replacement: `${packages}/$1/src/index.ts` },
  { find: /^@flotilla\/([^/]+)\/([^/.]+)$/, replacement: `${packages}/$1/src/$2/index.ts` },
  { find: /^@flotilla\/([^/]+)\/([^/.]+\/[^/.]+)$/, replacement: `${packages}/$1/src/$2.ts` },
];

/** What all runs have in common. Each leaves its results where `tools/test-results` adds them up. */
export const runOptions = {
  reporters: ['default', ['json', { outputFile: '.vitest/results.json' }]],
  // Nx asks for colours, and programs that specs start and read would write them.
  env: { FORCE_COLOR: '0' },
  globalSetup: [fileURLToPath(new URL('./tools/properties/global-setup.ts', import.meta.url))],
  setupFiles: [fileURLToPath(new URL('./tools/properties/setup.ts', import.meta.url))],
} satisfies TestUserConfig;

/** How specs run, those of one package or all. */
export const specOptions = {
  resolve: { alias: sourceAliases },
  test: {
    ...runOptions,
    passWithNoTests: false,
    // Modules have no state but caches that are keyed by objects (WeakMap), and importing them does nothing, so that files of one worker may
    // share them: half the time.
    isolate: false,
    // Specs wait for events, not for time; these limits only end what hangs, also on a machine that is busy elsewhere.
    testTimeout: 60_000 * Number(process.env.FLOTILLA_PROPERTY_RUNS ?? 1),
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
} satisfies ViteUserConfig;

/** The configuration of one package's specs. */
export const projectConfig = (name: string): ViteUserConfig =>
  defineConfig({ ...specOptions, test: { ...specOptions.test, name, include: ['src/**/*.spec.ts'] } });
