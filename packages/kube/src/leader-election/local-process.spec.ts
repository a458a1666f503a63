import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isProcessGone, processMark } from './local-process.ts';

describe.runIf(existsSync('/proc/self/stat'))('the mark of a process', () => {
  it('reports whether the process has ended', async () => {
    const child = spawn('sleep', ['60']);
    const mark = processMark(child.pid) ?? '';
    expect(isProcessGone(`host_${mark}`)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isProcessGone(`host_${mark}`)).toBe(true);
    expect(processMark(child.pid)).toBeUndefined();
  });

  it('is not taken for another process that got its number', () => {
    const own = processMark() ?? '';
    expect(isProcessGone(own)).toBe(false);
    expect(isProcessGone(own.replace(/\d+$/, '1'))).toBe(true);
  });

  it('says nothing about a process of another machine or container', () => {
    const elsewhere = processMark()?.replace(/[0-9a-f]{16}/, '0123456789abcdef') ?? '';
    expect(elsewhere).toContain('0123456789abcdef');
    expect(isProcessGone(elsewhere.replace(/\d+-\d+$/, '999999999-1'))).toBe(false);
  });

  it('is not found in other identities', () => {
    fc.assert(fc.property(fc.string(), (identity) => !isProcessGone(identity)));
    expect(isProcessGone('host_5b0e6a52-9d5e-4bb1-a1f4-0f1b1f5a6f3e')).toBe(false);
  });
});
