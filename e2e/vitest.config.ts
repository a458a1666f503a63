import { findBinaries } from '@flotilla/envtest';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from '../vitest.shared.ts';

// `npm test` runs these suites where the binaries of Kubernetes are at hand; `npm run test:kube` gets them first and insists.
// CI runs both, one after the other, and says `later` to the first so that nothing runs twice.
const said = process.env.FLOTILLA_E2E;
const wanted = said === 'required' || (said !== 'later' && (await findBinaries()) !== undefined);
if (!wanted && said !== 'later') {
  console.warn('No binaries of Kubernetes here, so nothing to run: `npm run test:kube` gets them.');
}

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
