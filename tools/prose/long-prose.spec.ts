import { describe, expect, it } from 'vitest';
import { longProse, mostCharacters, mostWords } from './long-prose.ts';

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');
const longLine = `${'x'.repeat(mostCharacters)}.`;

describe('a page is easy to read', () => {
  it.each([
    ['with a line and a sentence of the most that is allowed', `${'x'.repeat(mostCharacters)}\n\n${words(mostWords)}.`],
    ['when several sentences follow each other', `${words(20)}.\n${words(20)}?\n${words(20)}!`],
    ['when the long line is code', `\`\`\`sh\n${longLine}\n\`\`\``],
    ['when the long line is a row of a table or a heading', `| ${longLine} |\n\n# ${longLine}`],
    ['when only the targets of links are long', `[a](https://example.com/${'x'.repeat(200)})`],
    ['when a piece of code has many words', `Run \`${words(40)}\` now.`],
    ['when each item of a list is short', `- ${words(20)}\n- ${words(20)}`],
  ])('%s', (_, page) => {
    expect(longProse(page)).toEqual([]);
  });
});

describe('a page is hard to read', () => {
  it('with a line that is too long', () => {
    expect(longProse(`# Title\n\n${longLine}`)).toEqual([
      { line: 3, kind: 'line', what: `the line has ${mostCharacters + 1} characters` },
    ]);
  });

  it('with a sentence that goes on over several lines', () => {
    const page = `${words(5)}.\n\n${words(20)}\n${words(11)}.`;
    expect(longProse(page)).toEqual([
      { line: 3, kind: 'sentence', what: 'a sentence has 31 words: w0 w1 w2 w3 w4 w5 …' },
    ]);
  });

  it('with a long sentence in an item of a list', () => {
    expect(longProse(`- ${words(5)}\n- ${words(31)}`)).toMatchObject([{ line: 2, kind: 'sentence' }]);
  });
});
