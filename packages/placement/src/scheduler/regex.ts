import type { RegexEngine } from '@flotilla/schema/cel';
import { RE2JS } from 're2js';

/** Patterns that are kept: placements have few. */
const mostPatterns = 100;

/** Go's regular expressions, in linear time: no expression of a user can hold up the scheduler. */
export function createLinearRegex(): RegexEngine {
  const compiled = new Map<string, RE2JS>();
  const compile = (pattern: string): RE2JS => {
    const known = compiled.get(pattern);
    if (known) return known;
    if (compiled.size >= mostPatterns) compiled.clear();
    const expression = RE2JS.compile(pattern);
    compiled.set(pattern, expression);
    return expression;
  };
  return (pattern) => {
    const expression = compile(pattern);
    return {
      test: (text) => expression.matcher(text).find(),
      find(text, most) {
        const found: string[] = [];
        const matcher = expression.matcher(text);
        while (found.length < most && matcher.find()) found.push(matcher.group() ?? '');
        return found;
      },
    };
  };
}
