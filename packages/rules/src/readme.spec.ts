import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { available, isLabel, isMatching, isReady } from '../examples/evaluate.ts';

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README', () => {
  it('shows the example that is executed here', () => {
    expect(readText('../README.md')).toContain(`\`\`\`ts\n${readText('../examples/evaluate.ts')}\`\`\``);
    expect({ available, isLabel, isMatching, isReady }).toEqual({
      available: ['True'],
      isLabel: true,
      isMatching: true,
      isReady: true,
    });
  });
});
