/** Sources of numbers below 1, so that callers choose how cases are generated. */
export type Chance = () => number;

const pick = <T>(chance: Chance, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(chance() * choices.length)] ?? choices[0];
const upTo = (chance: Chance, most: number): number => 1 + Math.floor(chance() * most);
const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join('');

/** A text on which matchers that backtrack take longest: nearly a match, over and over. */
export const longText = (length: number): string => `${'a'.repeat(length)}!`;

/** Patterns with many stars. */
export const hostileGlobs = (chance: Chance): string =>
  `${times(upTo(chance, 500), () => pick(chance, ['*a', '*', 'a*', '*aa']))}${pick(chance, ['b', '*b', ''])}`;

/** Nested quantifiers, alternatives that overlap, repetitions of repetitions, and large classes. */
export function hostilePatterns(chance: Chance, depth = 4): string {
  if (depth === 0) return pick(chance, ['a', '.', '[a-z]', '\\w', '(?i)a', '\\pL', '[^b]']);
  const inner = (): string => hostilePatterns(chance, depth - 1);
  return pick<() => string>(chance, [
    () => `(${inner()})*`,
    () => `(${inner()}+)+`,
    () => `(${inner()}|${inner()})*`,
    () => `(${inner()}){1,${upTo(chance, 30)}}`,
    () => `${inner()}?${inner()}?${inner()}`,
    () => `(${inner()}*)*b`,
  ])();
}

/** Patterns on which engines that backtrack take exponential or quadratic time, each with texts of which it matches nearly all. */
export const backtracking: readonly { readonly pattern: string; text(length: number): string }[] = [
  ...[
    ...['(a+)+$', '^(a*)*$', '^(a|a)*$', '^(a|aa)+$', '^(a?a?)*$', '^(a+a+)+b', '^(([a-z])+.)+[A-Z]([a-z])+$'],
    ...['(.*a){20}', '^(.*)*b$', '.*.*=.*', '^a*a*a*a*a*b', '(?:a?){30}a{30}b', '^(?:a{1,30}){1,30}$'],
    ...['^(\\w+\\s?)*$', '^([a-z0-9])(([-.]|_+)?([a-z0-9]+))*@[a-z]+[.][a-z]{2,3}$', '([a-z]+)*\\d'],
  ].map((pattern) => ({ pattern, text: longText })),
  { pattern: '\\s+$', text: (length) => `${' '.repeat(length)}.` },
  { pattern: '^(?:.*,){12}P', text: (length) => '1,'.repeat(length / 2) },
  { pattern: '<!--.*?-->', text: (length) => '<!--'.repeat(length / 4) },
  { pattern: '^(\\d{1,3}\\.?)+$', text: (length) => `${'1'.repeat(length)}x` },
  { pattern: '(?i)^(é|É|e)+$', text: (length) => `${'é'.repeat(length)}!` },
];

/** Unions, descents and ranges that multiply what they visit. */
export const hostilePaths = (chance: Chance): string =>
  pick<() => string>(chance, [
    () => `[${Array.from({ length: upTo(chance, 600) }, () => "'x'").join(',')}][*]`,
    () => times(upTo(chance, 8), () => '..*'),
    () => times(upTo(chance, 20), () => '.x[*]}{range .x[*]'),
    () => `.x[?(@.a${pick(chance, ['<', '==', '!='])}"${'a'.repeat(upTo(chance, 3000))}")]`,
    () => `.x${times(upTo(chance, 500), () => '[*]')}`,
    () => `..x${times(upTo(chance, 100), () => '[0:99999]..')}`,
    () => times(upTo(chance, 300), () => '}{range .x[*]}{.y}{'),
    () => times(upTo(chance, 500), () => '[?(@.a)'),
  ])();

const list = `[${Array.from({ length: 99 }, (_, index) => index).join(',')}]`;

/** Patterns that are another one for each number `i`. */
const manyPatterns: readonly [string, ...string[]] = [
  '(abcdefgh" + string(i) + "){900}',
  '^(?:\\\\pL" + string(i) + "){400}$',
  `[${'\\\\pL'.repeat(60)}" + string(i) + "]`,
  '(?:[ab]?[bc]?" + string(i) + "?){200}[xy]',
];

/** Towers of comprehensions, texts that double, and functions over texts as long as the budget allows. `text` is a long one. */
export const hostileCel = (chance: Chance, text: string): string =>
  pick<() => string>(chance, [
    () => `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c >= 0)))`,
    () => `${list}.map(a, ${list}.map(b, [a, b, ${list}])).size() > 0`,
    () => `${list}.map(a, ${list}.map(b, "aaaaaaaa" + ${text})).size() > 0`,
    () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'].slice(0, upTo(chance, 6));
      const last = names.reduceRight(
        (inner, name, index) => {
          const before = index === 0 ? '"aaaaaaaaaaaaaaaa"' : names[index - 1];
          return `cel.bind(${name}, ${Array(8).fill(before).join(' + ')}, ${inner})`;
        },
        `${names.at(-1)}.size() > 0`,
      );
      return last;
    },
    () => `${text}.matches(${JSON.stringify(hostilePatterns(chance, 3))})`,
    () => `${text}.findAll("${pick(chance, ['a', '.*?b|a', 'a*?', '[^b]*b|[^b]'])}").size() > 0`,
    () => `${list}.all(i, "${upTo(chance, 1000)}".matches("${pick(chance, manyPatterns)}") || true)`,
    () => `${text}.lastIndexOf("${'a'.repeat(upTo(chance, 3000))}b") > 0`,
    () => `${text}.split("${'a'.repeat(upTo(chance, 1500))}b${'a'.repeat(upTo(chance, 1500))}").size() > 0`,
    () => `duration(${text}.replace("a", "1")) > duration("1h")`,
    () => `${text}.split("").map(l, l + l).join(${text}).size() > 0`,
    () => `${text}.replace("a", "aaaaaaaaaaaaaaaa").replace("a", "aaaaaaaaaaaaaaaa").size() > 0`,
    () => `${times(upTo(chance, 3000), () => '1 + ')}1 > 0`,
    () => `${text}.reverse().lowerAscii().reverse() == ${text}`,
    () => `${text}.contains("${'a'.repeat(upTo(chance, 3000))}b")`,
    () => `"${times(upTo(chance, 500), () => '%s')}".format([${Array(20).fill(text).join(',')}]).size() > 0`,
  ])();

/** Loops without an end, and results without an end. */
export const hostileJq = (chance: Chance): string =>
  pick(chance, [
    'until(false; .)',
    '.a | [range(1e9)]',
    '.a, (repeat(1) | empty)',
    '.a | ("x" * 300000000)',
    '[limit(1e9; repeat(1))] | empty',
    'def f: f; f',
    '.a | [., .] | until(length > 1e12; . + .)',
    '.. | .. | .. | .. | ..',
  ]);
