// `npm run bench:control-plane` in bench: the embedded control plane against a real one, in one run.
import { runSections } from '../lib/run-sections.ts';
import { measurePlanes, measureWatchers } from './fan-out.ts';
import { measureStart } from './start.ts';
import { measureThroughput } from './throughput.ts';

await runSections([
  ['start and memory', measureStart],
  ['throughput', measureThroughput],
  ['a thousand watchers', measureWatchers],
  ['fifty control planes', measurePlanes],
]);
