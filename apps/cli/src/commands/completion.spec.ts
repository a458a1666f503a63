import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { flotilla } from '../fixtures/cli.ts';

describe('completion', () => {
  it.each([
    { line: ['flotilla', 'acc'], expected: ['accept'] },
    { line: ['flotilla', 'get', 'clu'], expected: ['clusters', 'clustersets'] },
    { line: ['flotilla', 'get', 'clusters', '--clusters'], expected: ['--clusterset'] },
    { line: ['flotilla', 'join', '--kubec'], expected: ['--kubeconfig'] },
  ])('of $line in bash gives $expected', async ({ line, expected }) => {
    const { code, out } = await flotilla(['completion', 'bash']);
    expect(code).toBe(0);
    const script = `${out}\nCOMP_WORDS=(${line.join(' ')}); COMP_CWORD=${line.length - 1}; _flotilla; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')).toEqual(expected);
  });

  it('is there for zsh and fish, and for no other shell', async () => {
    expect((await flotilla(['completion', 'zsh'])).out).toContain('bashcompinit');
    expect((await flotilla(['completion', 'fish'])).out).toContain('__fish_seen_subcommand_from get');
    expect((await flotilla(['completion', 'tcsh'])).code).toBe(2);
  });
});
