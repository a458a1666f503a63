// The specs of all packages, apps, examples and tools in one run: two thirds of the processor time of a run for each, since modules that many
// of them import are loaded once. `npm test` uses it; `nx affected -t test` runs those of each package that a change touches.
import { defineConfig } from 'vitest/config';
import { specOptions } from './vitest.shared.ts';

export default defineConfig({
  ...specOptions,
  test: {
    ...specOptions.test,
    include: ['{packages,apps,examples/addons}/*/src/**/*.spec.ts', '{tools,e2e}/**/*.spec.ts'],
    // Specs wait a little for servers that they start: three workers keep two cores busy.
    maxWorkers: 3,
  },
});
