import { describe, expect, it } from 'vitest';
import { subcommandsOf } from './flags.ts';

describe('the subcommands of a program', () => {
  it.each([
    [
      'of the command line',
      'Usage: flotilla [options] [command]\n\nOptions:\n  -h, --help  display help\n                       continued\n\nRun:\n  up [options]   Start\n  get            Display\n  help [command] help\n',
      ['up', 'get'],
    ],
    [
      'of a server',
      'Usage: flotilla-hub COMMAND [OPTION]...\n\n  controller      Starts.\n  webhook-server  Starts.\n',
      ['controller', 'webhook-server'],
    ],
    ['of a command without any', 'Usage: flotilla-hub controller [flags]\n\n  lease string\n', []],
  ])('%s', (_, help, expected) => {
    expect(subcommandsOf(help)).toEqual(expected);
  });
});
