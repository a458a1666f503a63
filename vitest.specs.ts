import { defineConfig } from 'vitest/config';
import { runOptions, sourceAliases } from './vitest.shared.ts';
export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    ...runOptions,
    name: 'specs',
    include: ['{packages,apps}/*/src/**/*.spec.ts', 'examples/addons/*/src/**/*.spec.ts', 'tools/**/*.spec.ts'],
    isolate: false,
    testTimeout: 60000,
    hookTimeout: 60000,
    maxWorkers: 2,
    expect: { poll: { timeout: 20_000 } },
  },
});
