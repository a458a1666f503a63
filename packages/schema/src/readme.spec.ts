import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { definitions, report, widgets } from '../examples/define-a-kind.ts';

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README', () => {
  it('shows the example that is executed here', () => {
    expect(readText('../README.md')).toContain(`\`\`\`ts\n${readText('../examples/define-a-kind.ts')}\`\`\``);
    expect(widgets.kind).toBe('Widget');
    expect(definitions.map(({ metadata }) => metadata.name)).toEqual(['widgets.example.com']);
    expect(report).toBe('spec.size: 0 must be at least 1');
  });
});
