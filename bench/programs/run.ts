// `npm run bench:programs -- --against <checkout>` in bench: how long the programs take to start and what memory they take when idle, beside the
// same programs as another checkout built them. Without `--against` there is nothing to compare with.
import { parseArgs } from 'node:util';
import { runSections } from '../lib/run-sections.ts';
import { measureHelp } from './help.ts';
import { measureProgram, programs } from './start.ts';

const { values } = parseArgs({ options: { against: { type: 'string' } } });
const peer = values.against;

await runSections([
  ['help', () => measureHelp(peer)],
  ...programs.map((program) => [program.name, () => measureProgram(program, peer)] as const),
]);
