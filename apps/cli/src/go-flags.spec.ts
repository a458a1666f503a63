import { describe, expect, it } from 'vitest';
import { offlineContext } from './fixtures/cli.ts';
import { goFlags } from './go-flags.ts';
import { createProgram } from './program.ts';

const program = createProgram(offlineContext());

describe('flags of Go programs', () => {
  it.each([
    ['--hub_token T', 'join --hub_token T', 'join --hub-token T'],
    ['a switch that is true', 'init --wait=true', 'init --wait'],
    ['a switch that is false', 'init --wait=false --use-bootstrap-token', 'init --use-bootstrap-token'],
    ['a switch that is on unless it is false', 'delete work w --wait=false', 'delete work w --no-wait'],
    ['a flag with a value and a sign', 'init --feature_gates=A=true', 'init --feature-gates=A=true'],
    ['a short flag with a sign', 'get clusters -o=json', 'get clusters -o json'],
    ['a value that looks like a command', '--context get init --wait=true', '--context get init --wait'],
    ['a value that looks like a flag', 'proxy kubectl --args --dry_run=true', 'proxy kubectl --args --dry_run=true'],
    ['what follows two hyphens', 'proxy kubectl -- get --a_b=true', 'proxy kubectl -- get --a_b=true'],
    ['a flag that nothing knows', 'init --no_such=true', 'init --no_such=true'],
  ])('%s', (_, given, expected) => {
    expect(goFlags(program, given.split(' ')).join(' ')).toBe(expected);
  });
});
