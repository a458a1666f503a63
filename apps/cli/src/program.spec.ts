import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { visibleCommands } from './commands/command.ts';
import { flotilla, offlineContext } from './fixtures/cli.ts';
import { createProgram } from './program.ts';

/** Every command that does something, as the words that call it. */
const commandsOf = (command: Command, path: readonly string[] = []): string[][] =>
  visibleCommands(command).flatMap((child) => {
    const words = [...path, child.name()];
    return child.commands.length > 0 ? commandsOf(child, words) : [words];
  });

const program = createProgram(offlineContext());

describe('the command line', () => {
  it.each(commandsOf(program))('prints help with examples: %s %s', async (...words) => {
    const { code, out } = await flotilla([...words.filter((word) => word !== undefined), '--help']);
    expect([code, out.includes('Examples:\n  $ flotilla') || out.includes('$ source <(flotilla')]).toEqual([0, true]);
  });

  it('refuses unknown commands and superfluous words with the exit code of a usage error', async () => {
    expect((await flotilla(['get', 'nope'])).code).toBe(2);
    expect((await flotilla(['frobnicate'])).code).toBe(2);
    expect((await flotilla(['version', 'please'])).code).toBe(2);
  });

  it.each([
    ['cluters', 'Did you mean clusters? See `flotilla get --help`'],
    ['plcements', 'Did you mean placements? See `flotilla get --help`'],
    ['nope', 'See `flotilla get --help`'],
  ])('suggests what is near to get %s', async (word, hint) => {
    const { code, err } = await flotilla(['get', word]);
    expect([code, err.split('\n')[1]?.startsWith(hint)], err).toEqual([2, true]);
  });

  it('shows --dry-run and --timeout only where something is changed or waited for', async () => {
    const commands = commandsOf(program).map((words) => words.join(' '));
    const taking = async (flag: string) => {
      const takes = await Promise.all(
        commands.map(async (words) => (await flotilla([...words.split(' '), '--help'])).out.includes(flag)),
      );
      return commands.filter((_, index) => takes[index]);
    };
    const waiting = ['up', 'down', 'init', 'join', 'accept', 'unjoin', 'clean', 'create work', 'delete work'];
    const sets = ['create clusterset', 'clusterset set', 'clusterset bind', 'clusterset unbind', 'create placement'];
    const registered = ['register', 'unregister'];
    const addons = ['addon enable', 'addon disable', 'uninstall hub-addon'];
    const operated = ['upgrade clustermanager', 'upgrade klusterlet', 'delete token'];
    const offers = ['addon create', 'install hub-addon', 'create sampleapp'];
    const changing = [
      ...operated,
      ...waiting,
      ...registered,
      ...sets,
      ...addons,
      ...offers,
      'delete clusterset',
      'rollout undo',
    ];
    expect((await taking('--dry-run')).sort()).toEqual(changing.sort());
    const timed = [
      ...operated,
      ...waiting,
      ...registered,
      ...addons,
      'addon dev',
      'delete clusterset',
      'rollout status',
    ];
    expect((await taking('--timeout')).sort()).toEqual(timed.sort());
  });

  it('shows help for a command that has only others below it, and calls that a success', async () => {
    for (const words of [[], ['get'], ['help']]) expect((await flotilla(words)).code).toBe(0);
  });

  it('offers the flag that was meant, and where to read on', async () => {
    const { code, err } = await flotilla(['accept', '--wiat']);
    expect([code, err]).toEqual([2, expect.stringMatching(/^Error: .*Did you mean --wait\?.*Add --help/s)]);
  });

  it('does not call it a success when Ctrl-C ends a command that waits', async () => {
    const { code } = await flotilla(['get', 'clusters'], { signal: AbortSignal.abort() });
    expect(code).toBe(130);
  });

  it('says that a server does not answer, with an exit code of its own', async () => {
    const { code, err } = await flotilla(['get', 'clusters']);
    expect([code, err]).toEqual([4, expect.stringMatching(/^Error: Unavailable: nothing listens there\n.+\n$/)]);
  });

  it('prints its version without a cluster, as text and as JSON [cli A56]', async () => {
    expect((await flotilla(['version'])).out.split('\n')).toHaveLength(3);
    expect(JSON.parse((await flotilla(['version', '-o', 'json'])).out)).toHaveProperty('ocm', 'v1.3.1');
  });
});
