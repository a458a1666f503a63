import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kubeErrorCodes } from './codes.ts';

const page = readFileSync(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));

describe('the page docs/reference/errors.md', () => {
  it('has exactly the codes of the table, in its order', () => {
    expect(rows.map(([, code]) => code)).toEqual(Object.keys(kubeErrorCodes).map((code) => `\`${code}\``));
  });

  it.each(Object.entries(kubeErrorCodes))('says of %s what the table says', (code, { meaning, retryable, hint }) => {
    const row = rows.find(([, name]) => name === `\`${code}\``);
    expect(row?.slice(2, 5)).toEqual([meaning, retryable ? 'yes' : 'no', hint]);
  });
});
