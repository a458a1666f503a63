import { describe, expect, it } from 'vitest';
import { prints, stepsOf } from './steps.ts';

describe('the steps of a guide', () => {
  it('are its files, commands, outputs and terminals in the order of the page', () => {
    const page = [
      '```yaml\n# a.yaml\nkind: A\n```\n\ntext\n\n```sh\nrun a\n```\n\n```text\nran …\n```\n',
      '```sh\n# terminal 2\nserve\n```\n\n```text\nserves\n```\n\n<!-- stop terminal 2 -->\n',
    ].join('\n');
    expect(stepsOf(page)).toEqual([
      { kind: 'file', name: 'a.yaml', text: '# a.yaml\nkind: A\n' },
      { kind: 'run', script: 'run a\n', expected: ['ran …'] },
      { kind: 'start', terminal: 'terminal 2', script: 'serve\n', expected: ['serves'] },
      { kind: 'stop', terminal: 'terminal 2', script: '' },
    ]);
  });

  it('do not include a block that nothing runs', () => {
    expect(() => stepsOf('```ts\nlet a;\n```\n')).toThrow('a guide has a block that nothing runs');
  });

  it.each([
    ['the same', 'a\nb\n', ['a', 'b'], true],
    ['other text where the guide leaves it open', 'took 3s (really)\n', ['took … (really)'], true],
    ['other lines where the guide leaves them open', 'a\nx\ny\nb\n', ['a', '…', 'b'], true],
    ['something else', 'a\nc\n', ['a', 'b'], false],
    ['less', 'a\n', ['a', 'b'], false],
    ['more', 'a\nb\nc\n', ['a', 'b'], false],
  ])('compare the output: %s', (_, output, expected, same) => {
    expect(prints(output, expected)).toBe(same);
  });
});
