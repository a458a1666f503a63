import { findBinaries } from '@flotilla/envtest';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from '../vitest.shared.ts';

// `npm test` runs these suites where the binaries of Kubernetes are at hand; `npm run test:kube` gets them first and insists.
const wanted = process.env.FLOTILLA_E2E === 'required' || (await findBinaries()) !== undefined;
if (!wanted) console.warn('No binaries of Kubernetes here, so nothing to run: `npm run test:kube` gets them.');

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    name: 'e2e',
    include: wanted ? ['**/*.kube.ts'] : [],
    passWithNoTests: !wanted,
    // A suite starts its own control plane of three processes: two suites at once is what two cores bear.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
