import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CelCompileError, CelCostError, CelEvaluationError, CostMeter, celValue, createCel } from './index.ts';

const object = {
  kind: 'Job',
  n: 2,
  d: 1.5,
  list: [3, 1, 2],
  words: ['b', 'a'],
  map: { 'a.b': 'x', in: 'y' },
  nothing: null,
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};

const cel = createCel({ variables: { object: 'dyn' } });
const limit = 1_000_000;

const evaluate = (expression: string, meter = new CostMeter(limit), given: unknown = object): unknown =>
  cel.compile(expression).evaluate({ object: celValue(given) }, meter);

const costOf = (expression: string, given?: unknown): number => {
  const meter = new CostMeter(limit);
  evaluate(expression, meter, given);
  return meter.spent;
};

describe('an expression', () => {
  it.each<[string, unknown]>([
    ['object.kind == "Job" && object.n > 1', true],
    ['object.n == 2.0 && object.d < 2', true],
    ['object.?missing.orValue("none")', 'none'],
    ['object.status.conditions.exists(c, c.type == "Ready" && c.status == "True")', true],
    ['object.list.map(x, x * 2)', [6n, 2n, 4n]],
    ['object.map["a.b"]', 'x'],
    ['has(object.status.phase)', false],
    ['object.?map == object.?map && object.?missing == object.?other && object.?map != object.?missing', true],
    ['object.nothing == null', true],
    ['object.missing || true', true],
    ['true // with a remark', true],
  ])('%s has its value', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  it.each([
    ['object.missing', 'no such key: missing'],
    ['object.list[5]', 'index out of bounds: 5'],
    ['1 / (object.n - 2)', 'division by zero'],
    ['object.kind + 1', 'no such overload: dyn<string> + int'],
  ])('%s fails: %s', (expression, message) => {
    expect(() => evaluate(expression)).toThrow(new CelEvaluationError(message));
  });

  it.each([
    ['badexpression', "ERROR: <input>:1:1: undeclared reference to 'badexpression' (in container '')"],
    ['true &&\n  other', "ERROR: <input>:2:3: undeclared reference to 'other' (in container '')"],
    ['1 + "a"', "ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'"],
    ['nope(1)', "ERROR: <input>:1:5: undeclared reference to 'nope' (in container '')"],
    ['true) || (false', /^ERROR: <input>:1:5: /],
    ['', /^ERROR: <input>:1:1: /],
    ['object.', /^ERROR: <input>:1:\d+: /],
  ])('%j does not compile: %s', (expression, message) => {
    expect(() => cel.compile(expression)).toThrow(CelCompileError);
    expect(() => cel.compile(expression)).toThrow(message);
  });

  it('never throws anything but the three errors', () => {
    const pieces = fc.constantFrom(
      'object',
      '.a',
      '.list',
      '[0]',
      '(',
      ')',
      '"x"',
      '+',
      '==',
      '.all(x, ',
      'x',
      '1',
      '?',
      ':',
      '{',
      '}',
      '!',
      '.size()',
      ',',
      ' in ',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.jsonValue(), (parts, given) => {
        try {
          evaluate(parts.join(''), new CostMeter(1000), given);
        } catch (error) {
          const known = [CelCompileError, CelEvaluationError, CelCostError].some((type) => error instanceof type);
          if (!known) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("Kubernetes' libraries", () => {
  it.each([
    // lists
    ['[1, 2, 2].isSorted() && !object.list.isSorted() && [].isSorted()'],
    ['object.list.sum() == 6 && [1.5, 2.5].sum() == 4.0 && object.list.min() == 1 && object.words.max() == "b"'],
    ['object.list.indexOf(2) == 2 && object.list.lastIndexOf(9) == -1 && [{"a": 1}].indexOf({"a": 1}) == 0'],
    // regular expressions, in Go's syntax
    [
      '"abc 123".find("[0-9]+") == "123" && "123 abc 45".findAll("[0-9]+") == ["123", "45"] && "1 2".findAll("[0-9]", 1) == ["1"]',
    ],
    ['"foobar".matches("foo.*") && "a\\n".matches("^a[[:space:]]$") && !"b".matches("a")'],
    // URLs
    ['isURL("https://u:80/p") && !isURL("://x") && isURL("/path")'],
    ['url("https://example.com:80/a%20b?q=1&q=2").getHost() == "example.com:80"'],
    ['url("https://example.com:80/a%20b?q=1&q=2").getQuery() == {"q": ["1", "2"]}'],
    ['url("https://[::1]:8443/p").getHostname() == "::1" && url("https://[::1]:8443/p").getPort() == "8443"'],
    ['url("/p/q").getEscapedPath() == "/p/q" && url("/p").getScheme() == ""'],
    // quantities
    ['isQuantity("1.3Gi") && !isQuantity("200K") && quantity("500m") == quantity("0.5")'],
    ['quantity("50k").add("20k" == "" ? quantity("0") : quantity("20k")) == quantity("70k")'],
    ['quantity("50k").sub(20000).compareTo(quantity("30k")) == 0 && quantity("1").add(2).asInteger() == 3'],
    ['quantity("1Gi").isGreaterThan(quantity("1G")) && sign(quantity("-1")) == -1 && !quantity("0.5").isInteger()'],
    ['quantity("50.703k").asApproximateFloat() == 50703.0'],
    // addresses
    ['isIP("127.0.0.1") && isIP("::1") && !isIP("1.2.3") && !isIP("::ffff:1.2.3.4") && !isIP("fe80::1%eth0")'],
    ['ip("127.0.0.1").family() == 4 && ip("::1").isLoopback() && ip("0.0.0.0").isUnspecified()'],
    [
      'ip("224.0.0.1").isLinkLocalMulticast() && ip("169.254.1.1").isLinkLocalUnicast() && ip("8.8.8.8").isGlobalUnicast()',
    ],
    [
      'ip.isCanonical("2001:db8::abcd") && !ip.isCanonical("2001:DB8::0:abcd") && string(ip("2001:db8:0:0:1:0:0:1")) == "2001:db8::1:0:0:1"',
    ],
    [
      'isCIDR("10.0.0.0/8") && !isCIDR("10.0.0.0/33") && cidr("10.0.0.0/8").containsIP("10.1.2.3") && !cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))',
    ],
    ['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && !cidr("10.1.0.0/16").containsCIDR(cidr("10.0.0.0/8"))'],
    [
      'string(cidr("10.1.2.3/8").masked()) == "10.0.0.0/8" && cidr("::/64").prefixLength() == 64 && cidr("10.0.0.1/8").ip() == ip("10.0.0.1")',
    ],
    // formats
    ['!format.dns1123Label().validate("my-label").hasValue() && format.dns1123Label().validate("My_Label").hasValue()'],
    [
      '!format.named("uuid").value().validate("123e4567-e89b-12d3-a456-426614174000").hasValue() && !format.named("none").hasValue()',
    ],
    // versions
    [
      'isSemver("1.2.3-rc.1+build") && !isSemver("v1.2") && isSemver("v1.02", true) && semver("v1.2", true).minor() == 2',
    ],
    [
      'semver("1.2.3").isLessThan(semver("1.10.0")) && semver("1.0.0-alpha.2").compareTo(semver("1.0.0-alpha.10")) == -1',
    ],
    [
      'semver("1.0.0").isGreaterThan(semver("1.0.0-rc.1")) && semver("1.0.0-1").isLessThan(semver("1.0.0-a")) && semver("1.0.0+a") == semver("1.0.0+b")',
    ],
    // strings
    [
      '"añb".charAt(1) == "ñ" && "abc".reverse() == "cba" && "a.b.c".replace(".", "-", 1) == "a-b.c" && "ab".replace("", "_") == "_a_b_"',
    ],
    ['"%s is %d, %.2f, %x, %b, %%".format(["x", 12, 1.005e1, 255, true]) == "x is 12, 10.05, ff, 1, %"'],
    ['"%s %s".format([["a", 1.5], {"b": null}]) == "[\\"a\\", 1.500000] {\\"b\\":null}"'],
    ['strings.quote("a\\"b\\n") == "\\"a\\\\\\"b\\\\n\\"" && ["a", "b"].join("-") == "a-b"'],
  ])('hold %s', (expression) => {
    expect(evaluate(expression)).toBe(true);
  });

  it.each([
    ['quantity("x")', /^quantities must match/],
    ['quantity("0.5").asInteger()', 'cannot convert value to integer'],
    ['ip("x")', 'IP Address "x" parse error during conversion from string'],
    ['cidr("x")', /parse error/],
    ['url("x")', /parse error/],
    ['semver("x")', 'invalid semantic version: "x"'],
    ['[].min()', 'min called on empty list'],
    ['["a"].sum()', /no such overload/],
    ['"a".matches("(")', /\(/],
    ['"%d".format(["x"])', '%d can only be used on integers, was given string'],
    ['"%s".format([])', 'index 0 out of range'],
  ])('refuse %s', (expression, message) => {
    expect(() => evaluate(expression)).toThrow(CelEvaluationError);
    expect(() => evaluate(expression)).toThrow(message);
  });
});

describe('the cost of an expression', () => {
  it('counts steps, iterations and the size of operands', () => {
    expect(costOf('true')).toBe(0);
    expect(costOf('object.n')).toBe(2);
    expect(costOf('object.list.all(x, x > 0)')).toBeGreaterThan(costOf('object.list[0] > 0') + 6);
    const text = { s: 'x'.repeat(10_000) };
    expect(costOf('object.s.contains("y")', text)).toBeGreaterThanOrEqual(1000);
    expect(costOf('object.s.size()', text)).toBeLessThan(10);
    const long = { l: Array.from({ length: 5000 }, (_, at) => at) };
    expect(costOf('object.l == object.l', long)).toBeGreaterThanOrEqual(10_000);
    expect(costOf('object.l.exists(x, x == 0)', long)).toBeGreaterThanOrEqual(500);
  });

  it('does not change the value', () => {
    const text = fc.constantFrom('object.list.map(x, x + 1)', 'object.list.filter(x, x > 1)', 'size(object.list)');
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: -10, max: 10 })), (expression, list) => {
        const expected = expression.includes('map')
          ? list.map((x) => x + 1)
          : expression.includes('filter')
            ? list.filter((x) => x > 1)
            : list.length;
        expect(evaluate(expression, new CostMeter(limit), { list })).toEqual(celValue(expected));
      }),
    );
  });

  const big = { l: Array.from({ length: 1000 }, (_, at) => at), s: 'a'.repeat(100_000) };

  it.each([
    ['nested iterations', 'object.l.all(x, object.l.all(y, object.l.all(z, x + y + z >= 0)))'],
    ['comparisons of the whole object', 'object.l.all(x, object == object)'],
    ['a search in a long list each time', 'object.l.all(x, x in object.l)'],
    ['texts that double', `${'cel.bind(s, s + s, '.repeat(12)}s${')'.repeat(12)}`],
    ['a long text in every place of a long text', 'object.s.replace("a", object.s).size() > 0'],
    ['a long separator of many parts', 'object.s.split("").join(object.s).size() > 0'],
    ['errors that are passed over', 'object.l.exists(x, object.l.exists(y, object.l.exists(z, z.missing)))'],
    ['a long text searched again and again', 'object.l.all(x, object.s.matches("^(b|c|d|e|f|g|h)") == false)'],
    ['lists that grow', 'object.l.map(x, object.l.map(y, object.l)).size() > 0'],
    ['lists that are copied', 'object.l.all(x, (object.l + object.l).size() > 0)'],
    ['keys that are listed again and again', 'object.l.all(x, object.m.exists(k, true))'],
  ])('ends %s', (_, expression) => {
    const given = { ...big, m: Object.fromEntries(big.l.map((at) => [`k${at}`, at])) };
    const source = expression.startsWith('cel.bind') ? `cel.bind(s, object.s, ${expression}).size() > 0` : expression;
    const meter = new CostMeter(100_000);
    expect(() => evaluate(source, meter, given)).toThrow(CelCostError);
  });

  it('is charged to the meter of each, when one is evaluated within another', () => {
    const inner = createCel({ variables: { n: 'dyn' } }).compile('n + n + n');
    const [outerMeter, innerMeter] = [new CostMeter(limit), new CostMeter(limit)];
    const nested = {
      get n() {
        inner.evaluate({ n: 1n }, innerMeter);
        return 1n;
      },
    };
    cel.compile('object.n == 1').evaluate({ object: nested }, outerMeter);
    expect([outerMeter.spent, innerMeter.spent]).toEqual([costOf('object.n == 1', { n: 1 }), 5]);
  });

  it('is charged to the meter that is given, also when an expression fails', () => {
    const meter = new CostMeter(10);
    expect(() => evaluate('object.missing', meter)).toThrow(CelEvaluationError);
    expect(meter.spent).toBe(2);
    expect(() => evaluate('object.list.all(x, x > 0)', meter)).toThrow(
      'operation cancelled: actual cost limit exceeded',
    );
    expect(evaluate('object.n')).toBe(2n);
  });
});

describe('the cost of a duration', () => {
  it('grows with the square of its text, which the library reads again for each of its parts', () => {
    const text = '1'.repeat(200_000);
    expect(() => evaluate('duration(object.text)', new CostMeter(1_000_000), { text })).toThrow(CelCostError);
    expect(evaluate('duration(object.text) == duration("1h")', new CostMeter(100), { text: '60m' })).toBe(true);
  });
});
