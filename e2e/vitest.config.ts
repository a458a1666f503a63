import { defineConfig } from 'vitest/config';
import { runOptions, sourceAliases } from '../vitest.shared.ts';

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    ...runOptions,
    name: 'e2e',
    include: ['**/*.kube.ts'],
    // A suite starts its own control plane of three processes and waits a good deal: three at once keep two cores busy.
    maxWorkers: 3,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
