import { printedForm } from '@flotilla/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printedFormHash } from './printed-form.ts';

describe('the printed form of an object', () => {
  it('[work 18.F-74] has the hash that OCM gives it', () => {
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'test' },
      data: { foo1: 'bar1' },
    };
    expect(printedForm(configMap)).toBe(
      'map[apiVersion:v1 data:map[foo1:bar1] kind:ConfigMap metadata:map[name:test namespace:default]]',
    );
    expect(printedFormHash(configMap)).toBe('4c07ba481d04e9c38e5ed3bf24139537');
  });

  it('is what Go prints for every type of JSON, with keys in the order of their bytes', () => {
    const object = {
      a: null,
      b: [],
      c: {},
      d: [1, 'two', 3.5, true, null, { x: [[]] }],
      Z: -1,
      é: 'ü',
      '\u{1f600}': 'astral',
      '\uffee': 'bmp',
      '': 'empty',
      n: 9007199254740991,
      f: 1234567.5,
      g: 0.00001,
      h: Number('12345678901234567890'),
      s: ' a\nb ',
    };
    expect(printedForm(object)).toBe(
      'map[:empty Z:-1 a:<nil> b:[] c:map[] d:[1 two 3.5 true <nil> map[x:[[]]]] f:1.2345675e+06 g:1e-05 ' +
        'h:1.2345678901234567e+19 n:9007199254740991 s: a\nb  é:ü \uffee:bmp \u{1f600}:astral]',
    );
    expect(printedFormHash(object)).toBe('087c4b5d4b18397539b541c8a0c40f0a');
  });

  it.each([
    [0.1, '0.1'],
    [-0, '0'],
    [100000.5, '100000.5'],
    [999999.5, '999999.5'],
    [2097151.5, '2.0971515e+06'],
    [123456789.5, '1.234567895e+08'],
    [0.0001, '0.0001'],
    [0.00001234, '1.234e-05'],
    [5e-324, '5e-324'],
    [1e19, '1e+19'],
    [1e300, '1e+300'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [1e18, '1000000000000000000'],
  ])('prints the number %d as %s', (value, printed) => {
    expect(printedForm(value)).toBe(printed);
  });

  it('prints numbers so that reading them gives the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(printedForm(value)) === value).toBe(true);
        expect(printedForm(value)).toMatch(/^-?(\d+|\d+\.\d+|\d(\.\d+)?e[+-]\d{2,3})$/);
      }),
    );
  });

  it('does not depend on the order in which fields were written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(printedFormHash(reversed)).toBe(printedFormHash(object));
      }),
    );
  });
});
