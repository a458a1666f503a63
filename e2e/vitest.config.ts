import { defineConfig } from 'vitest/config';
import { runOptions, sourceAliases } from '../vitest.shared.ts';
import { LongestFirst } from './longest-first.ts';
import { type Stage, suiteGroups } from './suites.ts';

/** A suite of the embedded group that starts a real API server fails here too, not only on a machine that has none. */
const noRealServer = { KUBEBUILDER_ASSETS: '/suites-of-the-embedded-group-start-no-real-API-server' };

/** A sixth less processor time for each of the many API servers, and 170 MiB more memory. */
const lessGarbageCollection = { GOGC: '400' };

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    ...runOptions,
    // run.ts asks for the JSON report by itself, each run into a file of its own: options of a reporter that stand here would win over its.
    reporters: ['default'],
    // A suite starts its own control plane and waits a good deal: with three at once, two cores were idle for a quarter of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Suites wait for processes on a machine that may be busy: this only ends what hangs.
    expect: { poll: { timeout: 30_000 } },
    projects: suiteGroups(process.env.FLOTILLA_E2E_STAGE as Stage | undefined).map(
      ({ name, include, exclude, servers }) => ({
        extends: true,
        test: {
          name,
          include: [...include],
          exclude: ['**/node_modules/**', ...exclude],
          env: {
            ...runOptions.env,
            ...lessGarbageCollection,
            FLOTILLA_E2E_SERVERS: servers.join(','),
            ...(name === 'embedded' && noRealServer),
          },
        },
      }),
    ),
  },
});
