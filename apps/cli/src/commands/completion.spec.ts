import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { flotilla } from '../fixtures/cli.ts';

/** What follows a line: its last word is being written. */
const lines = [
  { line: ['acc'], expected: ['accept'] },
  { line: ['get', 'clu'], expected: ['clusters', 'clustersets'] },
  { line: ['get', 'clusters', '--clusters'], expected: ['--clusterset'] },
  { line: ['join', '--kubec'], expected: ['--kubeconfig'] },
  { line: ['--context', 'get', 'tok'], expected: ['token'] },
  { line: ['get', 'token', '--use'], expected: ['--use-bootstrap-token'] },
  { line: ['get', 'cluster', 'cluster1', '--clusters'], expected: ['--clusterset'] },
  { line: ['get', 'clusters', '-o', ''], expected: ['table', 'wide', 'tree', 'name', 'json', 'yaml'] },
  { line: ['clusterset', 'set', 'prod', '--clus'], expected: ['--clusters'] },
] as const;

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
const linesOf = (text: string): string[] => text.trim().split('\n').sort();

describe('completion', () => {
  it.each(lines)('of $line in bash gives $expected', async ({ line, expected }) => {
    const { code, out } = await flotilla(['completion', 'bash']);
    expect(code).toBe(0);
    const words = ['flotilla', ...line].map((word) => `'${word}'`);
    const script = `${out}\nCOMP_WORDS=(${words.join(' ')}); COMP_CWORD=${line.length}; _flotilla; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(linesOf(execFileSync('bash', ['-c', script], { encoding: 'utf8' }))).toEqual(expected.toSorted());
  });

  it.runIf(isInstalled('fish')).each(lines)('of $line in fish gives $expected', async ({ line, expected }) => {
    const { out } = await flotilla(['completion', 'fish']);
    const written = `flotilla ${line.join(' ')}`;
    const script = `${out}\ncomplete -C '${written}'`;
    const offered = linesOf(execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' }));
    expect(offered.filter((word) => !word.includes('/'))).toEqual(expect.arrayContaining(expected.toSorted()));
    expect(offered.filter((word) => word.startsWith('--'))).toEqual(expected.filter((word) => word.startsWith('--')));
  });

  it.runIf(isInstalled('zsh')).each(lines)('of $line in zsh gives $expected', async ({ line, expected }) => {
    const { out } = await flotilla(['completion', 'zsh']);
    const words = ['flotilla', ...line].map((word) => `'${word}'`);
    // As the completion of zsh calls functions that were written for bash.
    const call = `emulate sh; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${line.length}; _flotilla; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', `${out}\n${call}`], { encoding: 'utf8' });
    // zsh itself leaves out what does not begin as the word does.
    const offered = linesOf(stdout).filter((word) => word.startsWith(line.at(-1) ?? ''));
    expect([offered, stderr]).toEqual([expected.toSorted(), '']);
  });

  it.runIf(isInstalled('zsh'))('is read by a zsh that has no completion yet', async () => {
    const { out } = await flotilla(['completion', 'zsh']);
    const script = `${out}\nprint $_comps[flotilla]`;
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', script], { encoding: 'utf8' });
    expect([stdout.trim(), stderr]).toEqual(['_bash_complete -o default -F _flotilla', '']);
  });

  it('is there for no other shell', async () => {
    expect((await flotilla(['completion', 'tcsh'])).code).toBe(2);
  });
});
