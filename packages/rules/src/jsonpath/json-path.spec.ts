import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileJsonPath } from './json-path.ts';
import { JsonPathBudgetError, JsonPathError } from './nodes.ts';
import { PathBudget } from './path-budget.ts';

const object = {
  kind: 'K',
  n: 3,
  z: null,
  q: { 'a.b': 1, 'x/y': 3 },
  list: [
    { name: 'a', v: 1, s: { x: [1, 2, 3] } },
    { name: 'b', v: 2 },
    { name: 'c', v: 3, e: null },
  ],
  nums: [0, 1, 2, 3, 4, 5],
  deep: { name: 'd', in: { name: 'e', l: [{ name: 'f' }] } },
};

const find = (path: string, value: unknown = object) => compileJsonPath(path).find(value);

// Every expectation of these tables is what the Go implementation answers.
describe("a path of Kubernetes' dialect", () => {
  it.each<[string, unknown[]]>([
    ['.kind', ['K']],
    ['$.kind', ['K']],
    ['@.kind', ['K']],
    ['.missing.deep', []],
    ['.z', [null]],
    ['.z.x', []],
    ['.z[0]', []],
    ['.kind.x', []],
    ['.list[0].name', ['a']],
    ['.list[-1].name', ['c']],
    ['.list[*].name', ['a', 'b', 'c']],
    ['.list[1:].name', ['b', 'c']],
    ['.list[:2].name', ['a', 'b']],
    ['.list[0:3:2].name', ['a', 'c']],
    ['.list[0,2].name', ['a', 'c']],
    ['.list[3:3]', []],
    ['.nums[::2]', [0, 2, 4]],
    ['.nums[-2:]', [4, 5]],
    ['.nums[:-1]', [0, 1, 2, 3, 4]],
    ['.nums[1,2:4]', [1, 2, 3]],
    ['.q.a\\.b', [1]],
    [".q['a\\.b']", [1]],
    [".q['a.b']", []],
    [".q['x/y']", [3]],
    ["['kind','n']", ['K', 3]],
    ['.list[?(@.v>1)].name', ['b', 'c']],
    ['.list[?(@.v>=2)].name', ['b', 'c']],
    ['.list[?(@.v<2)].name', ['a']],
    ['.list[?(@.v<=2)].name', ['a', 'b']],
    ['.list[?(@.v!=2)].name', ['a', 'c']],
    ['.list[?(@.name=="b")].v', [2]],
    [".list[?(@.name == 'b')].v", [2]],
    ['.list[?(@.name<"b")].name', ['a']],
    ['.list[?(@.s)].name', ['a']],
    ['.list[?(@.e)].name', ['c']],
    ['.list[?(@.missing)].name', []],
    ['.list[?(@.name==")")]', []],
    ['.nums[?(@>2)]', [3, 4, 5]],
    ['..l', [[{ name: 'f' }]]],
    ['.deep..name', ['d', 'e', 'f']],
    ['.list[*].*', ['a', { x: [1, 2, 3] }, 1, 'b', 2, null, 'c', 3]],
    ['"un\\x41\\u00e9\\n"', ['unAé\n']],
    ["'a\\'b'", ["a'b"]],
    ['1.5', [1.5]],
    ['true', [true]],
  ])('%s finds %j', (path, found) => {
    expect(find(path)[0]).toEqual(found);
  });

  it('finds a row for each of its actions, and for each item of a range', () => {
    expect(find('.kind} and {.n')).toEqual([['K'], [' and '], [3]]);
    expect(find('range .list[*]}{.name}:{end}{.kind')).toEqual([['a'], [':'], ['b'], [':'], ['c'], [':'], ['K']]);
    expect(find('range .missing[*]}{.name}{end}{.kind')).toEqual([['K']]);
  });

  it.each([
    ['.nums[1', 'unterminated array'],
    ['.nums[a]', 'invalid array index a'],
    ['.nums[99999999999999999999]', 'array index 99999999999999999999 is not a number'],
    ['.list[?(@.v>1)', 'unclosed array expect ]'],
    ['.list[?(@.v>1', 'unterminated filter'],
    ['....', 'invalid multiple recursive descent'],
    ['"a', 'unterminated quoted string'],
    ['"\\q"', 'unquote string "\\q" error invalid syntax'],
    ['1.2.3', 'cannot parse number 1.2.3'],
    ['#', "unrecognized character in action: U+0023 '#'"],
    ['.kind\n', 'unclosed action'],
  ])('%s cannot be parsed: %s', (path, message) => {
    expect(() => compileJsonPath(path)).toThrow(new JsonPathError(message));
  });

  it.each([
    ['.list[5]', 'array index out of bounds: index 5, length 3'],
    ['.list[-4]', 'array index out of bounds: index -1, length 3'],
    ['.nums[0:99]', 'array index out of bounds: index 98, length 6'],
    ['.list[2:1]', 'starting index 2 is greater than ending index 1'],
    ['.list[0:2:0]', 'step must be > 0'],
    ['.kind[0]', 'string is not array or slice'],
    ['.q[0]', 'map[string]interface {} is not array or slice'],
    ['.kind[?(@.a)]', 'K is not array or slice and cannot be filtered'],
    ['.z[?(@.a)]', '<nil> is not array or slice and cannot be filtered'],
    ['.list[?(@.v=="1")]', 'incompatible types for comparison'],
    ['.list[?(@.v==1.0)]', 'incompatible types for comparison'],
    ['.list[?(@.s==1)]', 'invalid type for comparison'],
    ['.list[?(@.name=<"a")]', 'unrecognized filter operator =<'],
    ['end', 'not in range, nothing to end'],
    ['kind', 'unrecognized identifier kind'],
  ])('%s does not fit: %s', (path, message) => {
    expect(() => find(path)).toThrow(new JsonPathError(message));
  });

  it('does not show a whole object in an error', () => {
    expect(() => find('.[?(@.a)]', { '': { a: 'x'.repeat(10_000) } })).toThrow(/^.{0,300}$/);
  });

  it('reads no more than what an object itself has', () => {
    expect(find('.constructor.name', {})).toEqual([[]]);
    expect(find('.__proto__', {})).toEqual([[]]);
  });

  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom('.a', '..', '.*', '[*]', '[0]', '[-1]', '[?(@.a>1)]', '[?(', '"', "'", '\\', '{', '}', '[', ']'),
      fc.constantFrom(')', '@', '$', 'range', 'end', '1', '-', ',', ':', '\n', '=="x")]', '.'),
      fc.string({ maxLength: 4, unit: 'grapheme' }),
    ),
    { maxLength: 12 },
  );

  it('never throws anything but its own error', () => {
    fc.assert(
      fc.property(hostile, fc.jsonValue({ maxDepth: 4 }), (parts, value) => {
        try {
          expect(Array.isArray(find(parts.join(''), value))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonPathError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives up where repeated descents would visit all values many times', () => {
    let nested: unknown = 'x';
    for (let depth = 0; depth < 200; depth += 1) nested = { a: nested, b: [nested] };
    expect(() => find('...*...*...*', nested)).toThrow(/visit more than 250000 values/);
  });

  it('follows a nesting of ten thousand levels', () => {
    let nested: unknown = { name: 'innermost' };
    for (let depth = 0; depth < 10_000; depth += 1) nested = [nested];
    expect(find('..name', nested)).toEqual([['innermost']]);
  });
});

describe('the budget of paths', () => {
  const many = { x: Array.from({ length: 100_000 }, () => 1) };

  it('is charged before a step collects what it finds', () => {
    const budget = new PathBudget();
    const path = `[${Array(300).fill("'x'").join(',')}][*]`;
    expect(() => compileJsonPath(path).find(many, budget)).toThrow(JsonPathBudgetError);
    // The lists are one each; of what they hold, no more than the budget was collected.
    expect(budget.spent).toBeLessThan(budget.limit + 100_001);
  });

  it('is one for all paths of an object', () => {
    const budget = new PathBudget();
    const path = compileJsonPath('.x[*]');
    expect(path.find(many, budget)[0]).toHaveLength(100_000);
    path.find(many, budget);
    expect(() => path.find(many, budget)).toThrow(JsonPathBudgetError);
  });

  it('counts the rows that ranges within ranges copy', () => {
    const some = { x: many.x.slice(0, 20_000) };
    const rows = (ranges: number) => `${'range @}{'.repeat(ranges)}range .x[*]}{@}{end`;
    expect(compileJsonPath(rows(0)).find(some)).toHaveLength(20_000);
    expect(() => compileJsonPath(rows(300)).find(some)).toThrow(JsonPathBudgetError);
  });

  it('also counts actions, and texts that are compared', () => {
    expect(() => compileJsonPath(`range .x[*]}${'{}'.repeat(500)}{`).find(many)).toThrow(JsonPathBudgetError);
    const texts = { x: Array.from({ length: 2000 }, () => ({ a: 'a' })) };
    expect(() => compileJsonPath(`.x[?(@.a<"${'a'.repeat(4000)}")]`).find(texts)).toThrow(JsonPathBudgetError);
  });

  it.each([
    ['is too long', `.${'a'.repeat(5000)}`],
    ['nests brackets too deep', '[?(@'.repeat(100)],
  ])('is not spent on a path that %s', (_, path) => {
    expect(() => compileJsonPath(path)).toThrow(JsonPathError);
  });
});
