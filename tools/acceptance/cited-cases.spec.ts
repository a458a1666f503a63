import { describe, expect, it } from 'vitest';
import { citedCases } from './cited-cases.ts';

const known = new Set(['work', 'registration-hub', 'cli']);
const cited = (line: string) =>
  citedCases('a.spec.ts', line, known).map(({ specification, reference, title }) => [specification, reference, title]);

describe('a title', () => {
  it.each<[string, string, string[][]]>([
    ['with one case', "it('[work 18.A-12] applies a manifest', () => {", [['work', '18.A-12', 'applies a manifest']]],
    [
      'with several',
      'it("[registration-hub 13, W3] denies", () => {',
      [
        ['registration-hub', '13', 'denies'],
        ['registration-hub', 'W3', 'denies'],
      ],
    ],
    [
      'of two specifications',
      "  '[work 18.A-1] [cli A05] is both': {",
      [
        ['work', '18.A-1', 'is both'],
        ['cli', 'A05', 'is both'],
      ],
    ],
    [
      'with the groups around it',
      "describe('a work', () => {\n  describe('of two', () => {});\n  it('[cli A05] is applied', f)",
      [['cli', 'A05', 'a work is applied']],
    ],
    [
      'of a test with the case in a comment',
      "it('is applied', async () => {\n  // [cli A05]",
      [['cli', 'A05', 'is applied']],
    ],
    ['with an escaped quote', "it('[cli A05] the hub\\'s answer', f)", [['cli', 'A05', "the hub's answer"]]],
    ['of a template', 'it(`[cli A05] takes it`, f)', [['cli', 'A05', 'takes it']]],
    ['of a specification that does not exist', "it('[other 3] x', f)", []],
    ['that cites a section only', "it('[work 3.1] x', f)", []],
    ['without a case', "it('applies [work]', f)", []],
  ])('%s', (_, line, expected) => {
    expect(cited(line)).toEqual(expected);
  });
});
